/** Linear scales with readable ticks. A domain without width is widened, so that nothing divides by zero. */
export interface Scale {
  readonly domain: readonly [number, number];
  readonly ticks: readonly number[];
  /** Digits after the point that tell the ticks apart. */
  readonly digits: number;
  (value: number): number;
}

export function linearScale(domain: readonly [number, number], range: readonly [number, number]): Scale {
  const [low, high] = domain;
  const scale = (value: number): number => range[0] + ((value - low) / (high - low)) * (range[1] - range[0]);
  return Object.assign(scale, { domain, ticks: [], digits: 0 });
}

/** A scale over the values' extent, widened to whole ticks. */
export function niceScale(values: readonly number[], range: readonly [number, number], count = 5): Scale {
  const finite = values.filter(Number.isFinite);
  let low = Math.min(...finite);
  let high = Math.max(...finite);
  if (finite.length === 0) [low, high] = [0, 1];
  if (high - low < 1e-12) {
    const room = Math.max(Math.abs(low) * 0.1, 1e-3);
    [low, high] = low >= 0 && low - room < 0 ? [0, high + room] : [low - room, high + room];
  }
  const step = niceStep((high - low) / count);
  const first = Math.floor(low / step + 1e-9);
  const last = Math.ceil(high / step - 1e-9);
  const ticks = Array.from({ length: last - first + 1 }, (_, i) => (first + i) * step);
  const digits = digitsOf(step);
  const scale = linearScale([first * step, last * step], range);
  return Object.assign(scale, { ticks, digits });
}

function niceStep(rough: number): number {
  const power = 10 ** Math.floor(Math.log10(rough));
  const factor = [1, 2, 2.5, 5, 10].find((candidate) => candidate * power >= rough - 1e-12) ?? 10;
  return factor * power;
}

/** 0.25 needs two digits, 0.2 one, 5 none. */
function digitsOf(step: number): number {
  const enough = [0, 1, 2, 3, 4, 5, 6].find((digits) => Math.abs(step - Number(step.toFixed(digits))) < step * 1e-6);
  return enough ?? 6;
}
