/** What a measurement hands to main.ts. */
export interface BenchReport {
  /** For `--json`. */
  readonly numbers: Readonly<Record<string, unknown>>;
  readonly lines: readonly string[];
}
