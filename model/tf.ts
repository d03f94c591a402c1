/**
 * The one tensor library instance. Loaded through require, because the package is CommonJS and the native addon
 * registers itself on that same instance; model code imports `tf` from here and never chooses a backend itself.
 */
import { createRequire } from 'node:module';
import type * as Tfjs from '@tensorflow/tfjs';

export const tf = createRequire(import.meta.url)('@tensorflow/tfjs') as typeof Tfjs;

export type { Tensor, Tensor2D, Tensor3D, Tensor4D } from '@tensorflow/tfjs';
