/** What `rsi doctor` says of one thing on this machine. */
export interface Finding {
  readonly name: string;
  /** note: not there, and nothing that is needed now. */
  readonly state: 'ok' | 'note' | 'warn' | 'fail';
  readonly detail: string;
  /** What to do about it. */
  readonly remedy: string | null;
}

export function finding(name: string, state: Finding['state'], detail: string, remedy: string | null = null): Finding {
  return { name, state, detail, remedy };
}
