/**
 * A problem that the person at the keyboard can do something about: what is wrong, and the one thing to try.
 * Thrown inside infra/native, turned into a result by infra/native.ts; it never reaches a caller as an exception.
 */
export class ProvisionFailure extends Error {
  readonly remedy: string;

  constructor(reason: string, remedy: string) {
    super(reason);
    this.name = 'ProvisionFailure';
    this.remedy = remedy;
  }
}

/** One source of libtensorflow cannot be had; another one may. */
export class FetchFailure extends ProvisionFailure {
  constructor(reason: string, remedy: string) {
    super(reason, remedy);
    this.name = 'FetchFailure';
  }
}
