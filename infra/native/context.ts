/** What every provisioning step is given. `signal` ends the whole attempt when its time is up. */
export interface ProvisionContext {
  readonly env: NodeJS.ProcessEnv;
  readonly log: (line: string) => void;
  readonly signal: AbortSignal;
  /** Root of the installed @tensorflow/tfjs-node-gpu. */
  readonly packageRoot: string;
  readonly cacheRoot: string;
}
