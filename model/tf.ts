/**
 * The one tensor library instance. Loaded through require, because the package is CommonJS and the native addon
 * registers itself on that same instance; model code imports `tf` from here and never chooses a backend itself.
 */
import { createRequire } from 'node:module';

export const tf = createRequire(import.meta.url)('@tensorflow/tfjs') as typeof import('@tensorflow/tfjs');

export type { Tensor, Tensor1D, Tensor2D, Tensor3D, Tensor4D } from '@tensorflow/tfjs';
