/**
 * Named weights of the policy and of the critic (same trunk, scalar head): their shapes, seeded initial values, and
 * which of them weight decay applies to. A `Parameters` value owns its tensors: `dispose` when done.
 */
import { randomStream } from '../rl/random-stream.ts';
import { headSize, type ModelConfig } from './model-config.ts';
import { tf, type Tensor } from './tf.ts';

export type Parameters = Readonly<Record<string, Tensor>>;
export type ModelRole = 'policy' | 'critic';

export interface ParameterSpec {
  readonly name: string;
  readonly shape: readonly number[];
  /** Standard deviation of the initial normal values; 0 = zeros, null = ones. */
  readonly std: number | null;
  /** Weight decay applies to matrices only, not to norms, biases and embeddings. */
  readonly decay: boolean;
}

const EMBEDDING_STD = 0.05;

/** All weights of a role in a fixed order: the order of initialisation, of checkpoints and of updates. */
export function parameterSpecs(config: ModelConfig, role: ModelRole): readonly ParameterSpec[] {
  const { dModel: d, mlp, vocabSize, lags } = config;
  const kvWidth = config.kvHeads * headSize(config);
  const residualStd = 1 / Math.sqrt(d) / Math.sqrt(2 * config.layers);
  const matrix = (name: string, rows: number, columns: number, std: number): ParameterSpec => ({
    name,
    shape: [rows, columns],
    std,
    decay: true,
  });
  const gain = (name: string): ParameterSpec => ({ name, shape: [d], std: null, decay: false });
  const specs: ParameterSpec[] = [{ name: 'embed', shape: [vocabSize, d], std: EMBEDDING_STD, decay: false }];
  if (lags > 0) specs.push({ name: 'lag', shape: [lags * vocabSize, d], std: EMBEDDING_STD, decay: false });
  for (let layer = 0; layer < config.layers; layer += 1) {
    specs.push(
      gain(`layer${layer}.attentionNorm`),
      matrix(`layer${layer}.qkv`, d, d + 2 * kvWidth, 1 / Math.sqrt(d)),
      matrix(`layer${layer}.output`, d, d, residualStd),
      gain(`layer${layer}.mlpNorm`),
      matrix(`layer${layer}.gate`, d, mlp, 1 / Math.sqrt(d)),
      matrix(`layer${layer}.up`, d, mlp, 1 / Math.sqrt(d)),
      matrix(`layer${layer}.down`, mlp, d, residualStd),
    );
  }
  specs.push(gain('finalNorm'));
  if (role === 'critic') {
    specs.push(
      { name: 'valueHead', shape: [d, 1], std: 0, decay: false },
      { name: 'valueBias', shape: [1], std: 0, decay: false },
    );
  }
  return specs;
}

export function initialParameters(config: ModelConfig, role: ModelRole, seed: number): Parameters {
  const stream = randomStream(seed);
  const parameters: Record<string, Tensor> = {};
  for (const spec of parameterSpecs(config, role)) {
    parameters[spec.name] = tf.tensor(initialValues(spec, stream.uniform.bind(stream)), [...spec.shape], 'float32');
  }
  return parameters;
}

/** The critic starts as the policy's trunk with a zero head whose bias is the mean return (docs/formulas.md). */
export function criticFromPolicy(config: ModelConfig, policy: Parameters, meanReturn: number): Parameters {
  const critic: Record<string, Tensor> = {};
  for (const spec of parameterSpecs(config, 'critic')) {
    const inherited = policy[spec.name];
    if (spec.name === 'valueBias') critic[spec.name] = tf.tensor1d([meanReturn]);
    else critic[spec.name] = inherited === undefined ? tf.zeros([...spec.shape]) : inherited.clone();
  }
  return critic;
}

export function cloneParameters(parameters: Parameters): Parameters {
  return Object.fromEntries(Object.entries(parameters).map(([name, tensor]) => [name, tensor.clone()]));
}

export function disposeParameters(parameters: Parameters): void {
  for (const tensor of Object.values(parameters)) tensor.dispose();
}

/** The weight called `name`; a missing one is a programming error, so it throws. */
export function weight(parameters: Parameters, name: string): Tensor {
  const tensor = parameters[name];
  if (tensor === undefined)
    throw new Error(`no weight called ${name}; there are ${Object.keys(parameters).join(', ')}`);
  return tensor;
}

function initialValues(spec: ParameterSpec, uniform: () => number): Float32Array {
  const size = spec.shape.reduce((product, side) => product * side, 1);
  const values = new Float32Array(size);
  if (spec.std === null) return values.fill(1);
  if (spec.std === 0) return values;
  // Box-Muller; the first uniform is taken from (0, 1] so that the logarithm is finite.
  for (let i = 0; i < size; i += 2) {
    const radius = spec.std * Math.sqrt(-2 * Math.log(1 - uniform()));
    const angle = 2 * Math.PI * uniform();
    values[i] = radius * Math.cos(angle);
    if (i + 1 < size) values[i + 1] = radius * Math.sin(angle);
  }
  return values;
}
