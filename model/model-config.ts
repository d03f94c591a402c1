/** Shape of the decoder: the Llama/Qwen family (RMSNorm, RoPE, SwiGLU, grouped-query attention, tied head). */
import { Failure } from '../contracts/failures.ts';

export interface ModelConfig {
  /** Rows of the embedding; the tokenizer's size rounded up to a multiple of 8. */
  readonly vocabSize: number;
  readonly dModel: number;
  readonly layers: number;
  readonly heads: number;
  /** Key and value heads; divides `heads`. */
  readonly kvHeads: number;
  /** Width of the gated MLP. */
  readonly mlp: number;
  readonly ropeBase: number;
  readonly normEps: number;
  /** How many former tokens' embeddings are added to the input; 0 for real checkpoints. Copying becomes one hop. */
  readonly lags: number;
  /** Longest sequence the decoder accepts. */
  readonly context: number;
}

export function headSize(config: ModelConfig): number {
  return config.dModel / config.heads;
}

/** Refuses shapes that cannot be built, naming the two numbers that disagree. */
export function assertModelConfig(config: ModelConfig): void {
  const refuse = (message: string): never => {
    throw new Failure('config', message);
  };
  if (config.dModel % config.heads !== 0) {
    refuse(`model.dModel ${config.dModel} is not divisible by model.heads ${config.heads}; choose a multiple`);
  }
  if (headSize(config) % 2 !== 0) {
    refuse(`model.dModel / model.heads is ${headSize(config)}; rotary positions need an even head size`);
  }
  if (config.heads % config.kvHeads !== 0) {
    refuse(`model.heads ${config.heads} is not divisible by model.kvHeads ${config.kvHeads}; choose a divisor`);
  }
}
