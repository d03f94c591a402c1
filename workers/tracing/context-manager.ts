/**
 * Which span is open, per chain of async calls. OpenTelemetry's API asks whoever is registered; by itself it knows none,
 * and every span would begin a trace of its own.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { ROOT_CONTEXT, type Context, type ContextManager } from '@opentelemetry/api';

export function asyncContextManager(): ContextManager {
  const storage = new AsyncLocalStorage<Context>();
  const manager: ContextManager = {
    active: () => storage.getStore() ?? ROOT_CONTEXT,
    with: (context, work, self, ...args) =>
      storage.run(context, () => work.call(self as ThisParameterType<typeof work>, ...args)),
    bind: (context, target) =>
      typeof target === 'function'
        ? (((...args: unknown[]): unknown => storage.run(context, () => (target as Work)(...args))) as typeof target)
        : target,
    enable: () => manager,
    disable: () => {
      storage.disable();
      return manager;
    },
  };
  return manager;
}

type Work = (...args: unknown[]) => unknown;
