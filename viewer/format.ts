/** Numbers as people read them; null is a dash everywhere. */
import type { Interval } from '../rl/wilson.ts';

export const NONE = '–';

/** "78.5 %" */
export function percent(share: number | null, digits = 1): string {
  return share === null || !Number.isFinite(share) ? NONE : `${(share * 100).toFixed(digits)} %`;
}

/** "74.6–82.0 %" */
export function intervalText(interval: Interval | null): string {
  if (interval === null) return NONE;
  return `${(interval.low * 100).toFixed(1)}–${(interval.high * 100).toFixed(1)} %`;
}

/** Fixed digits; "–" for null. */
export function decimal(value: number | null, digits = 2): string {
  return value === null || !Number.isFinite(value) ? NONE : minus(value.toFixed(digits));
}

/** "+12" and "−3". */
export function signed(value: number | null, digits = 0): string {
  if (value === null || !Number.isFinite(value)) return NONE;
  const text = value.toFixed(digits);
  return Number(text) > 0 ? `+${text}` : minus(text);
}

/** p-values: three significant digits, tiny ones as a bound. */
export function pValue(p: number): string {
  if (p < 1e-4) return '< 0.0001';
  return p >= 0.1 ? p.toFixed(2) : p.toPrecision(2);
}

/** "2:05" or "1:02:05" */
export function duration(seconds: number): string {
  const whole = Math.max(0, Math.round(seconds));
  const two = (value: number): string => String(value).padStart(2, '0');
  const hours = Math.floor(whole / 3600);
  const minutes = Math.floor((whole % 3600) / 60);
  return hours > 0 ? `${hours}:${two(minutes)}:${two(whole % 60)}` : `${minutes}:${two(whole % 60)}`;
}

/** "12,345" with thin groups. */
export function grouped(value: number): string {
  return String(Math.round(value)).replaceAll(/\B(?=(\d{3})+$)/g, ',');
}

export function shortDigest(digest: string): string {
  return digest.slice(0, 12);
}

function minus(text: string): string {
  const isZero = Number(text) === 0;
  return text.startsWith('-') ? (isZero ? text.slice(1) : `−${text.slice(1)}`) : text;
}
