/**
 * Direct calls of TensorFlow kernels that tfjs does not wrap (ReluGrad, SparseSoftmaxCrossEntropyWithLogits, ...).
 * Native backend only. The call bypasses tfjs's gradient tape: use it inside a tf.customGrad.
 */
import type { Tensor, TensorInfo } from '@tensorflow/tfjs';
import { tf } from './tf.ts';

/** A dtype name sets a type attribute, a boolean a bool one; numbers and strings must say which they are. */
export type RawAttr =
  | boolean
  | 'float32'
  | 'int32'
  | 'bool'
  | { readonly int: number | readonly number[] }
  | { readonly float: number | readonly number[] }
  | { readonly string: string }
  | { readonly shape: readonly number[] };

export type RawAttrs = Readonly<Record<string, RawAttr>>;

export type RawOp = (name: string, attrs: RawAttrs, inputs: readonly TensorInfo[], nOutputs: number) => Tensor[];

interface OpAttr {
  name: string;
  type: number;
  value: unknown;
}

/** The part of tfjs-node's backend object that is used here. */
interface NodeKernels {
  readonly binding: Readonly<Record<string, number>>;
  executeMultipleOutputs(name: string, attrs: OpAttr[], inputs: TensorInfo[], nOutputs: number): Tensor[];
}

const DTYPES = { float32: 'TF_FLOAT', int32: 'TF_INT32', bool: 'TF_BOOL' } as const;

function opAttr(binding: NodeKernels['binding'], name: string, attr: RawAttr): OpAttr {
  const of = (type: string, value: unknown): OpAttr => ({ name, type: binding[type] as number, value });
  if (typeof attr === 'boolean') return of('TF_ATTR_BOOL', attr);
  if (typeof attr === 'string') return of('TF_ATTR_TYPE', binding[DTYPES[attr]]);
  if ('int' in attr) return of('TF_ATTR_INT', attr.int);
  if ('float' in attr) return of('TF_ATTR_FLOAT', attr.float);
  if ('string' in attr) return of('TF_ATTR_STRING', attr.string);
  return of('TF_ATTR_SHAPE', attr.shape);
}

/** Runs one TensorFlow op on the native backend; throws on another one. Output tensors belong to the caller's tidy. */
export const rawOp: RawOp = (name, attrs, inputs, nOutputs) => {
  if (tf.getBackend() !== 'tensorflow')
    throw new Error(`rawOp(${name}) needs the native backend, not ${tf.getBackend()}`);
  const kernels = tf.backend() as unknown as NodeKernels;
  const list = Object.entries(attrs).map(([key, attr]) => opAttr(kernels.binding, key, attr));
  return kernels.executeMultipleOutputs(name, list, [...inputs], nOutputs);
};
