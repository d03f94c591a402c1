/** Families that joined the run on the way: their held-out tasks before anything was trained on them, and ever since. */
import type { TaskOutcome } from '../../training/evaluate.ts';
import { ratesOf, type Rates } from '../../training/rates.ts';
import type { RunResult } from '../../training/run-result.ts';

export interface AddedFamilyReport {
  readonly family: string;
  /** The first generation that trained on it. */
  readonly generation: number;
  /** Of the policy that this generation started from. */
  readonly atJoining: Rates;
  /** The same tasks after this generation and each later one, promoted or not. */
  readonly since: readonly { readonly generation: number; readonly promoted: boolean; readonly rates: Rates }[];
}

export function addedFamilyReports({ generations }: RunResult): AddedFamilyReport[] {
  return generations.flatMap(({ generation: joined, admitted }) =>
    (admitted?.families ?? []).map((family): AddedFamilyReport => ({
      ...{ family, generation: joined, atJoining: ratesOf(ofFamily(admitted?.outcomes ?? [], family)) },
      since: generations
        .filter(({ generation }) => generation >= joined)
        .map(({ generation, evaluation, promotion }) => ({
          ...{ generation, promoted: promotion.promoted },
          rates: ratesOf(ofFamily(evaluation.added, family)),
        })),
    })),
  );
}

function ofFamily(outcomes: readonly TaskOutcome[], family: string): TaskOutcome[] {
  return outcomes.filter((outcome) => outcome.family === family);
}
