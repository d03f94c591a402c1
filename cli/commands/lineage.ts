/** `rsi lineage ...`: where a trajectory or checkpoint comes from, what became of it, why a rewrite was (not) accepted. */
import type { Command } from 'commander';
import { EXIT } from '../exit.ts';
import type { Queryable } from '../../lineage/postgres/connection.ts';
import type { Asked, Subject } from '../lineage/subject.ts';
import { RUN_QUESTIONS, THING_QUESTIONS } from '../lineage/questions.ts';

interface ThingOptions {
  readonly run?: string;
  readonly json?: boolean;
}

const ID = 'digest, or its first 8 characters or more, of any run of the database';
const FALLBACK_WIDTH = 120;

export function addLineageCommand(program: Command, done: (code: number) => void): Command {
  const lineage = program
    .command('lineage')
    .description('ask where a trajectory or checkpoint is from, and what became of it');
  for (const [i, { name, about, kinds }] of THING_QUESTIONS.entries()) {
    const command = lineage
      .command(name, { isDefault: i === 0 })
      .description(about)
      .argument('<id>', ID);
    addThingOptions(command).action(async (prefix: string, { run, json }: ThingOptions) => {
      const { THING_ANSWERS } = await import('../lineage/answers.ts');
      const { answerLines } = await import('../lineage/answer-text.ts');
      await inLineage(async (db, find) => {
        const subject = await find({ prefix, run, kinds });
        const answer = await THING_ANSWERS[name](db, subject);
        if (json) console.log(JSON.stringify({ ...nameOf(subject), ...answer }));
        else console.log([headOf(subject), ...answerLines(answer)].join('\n'));
      });
      done(EXIT.done);
    });
  }
  addDiffCommand(lineage, done);
  for (const { name, about } of RUN_QUESTIONS) {
    const command = lineage.command(name).description(about).argument('<run>', 'number of the run, or its workflow id');
    command.option('--json', 'print JSON').action(async (asked: string, { json }: ThingOptions) => {
      const { findLineageRun } = await import('../lineage-database.ts');
      const { RUN_ANSWERS } = await import('../lineage/answers.ts');
      const { answerLines } = await import('../lineage/answer-text.ts');
      await inLineage(async (db) => {
        const { id: run, workflowId } = await findLineageRun(db, asked);
        const answer = await RUN_ANSWERS[name](db, run);
        if (json) console.log(JSON.stringify({ run, workflowId, ...answer }));
        else console.log(answerLines(answer).join('\n'));
      });
      done(EXIT.done);
    });
  }
  for (const command of lineage.commands) command.allowExcessArguments(false);
  return lineage;
}

function addDiffCommand(lineage: Command, done: (code: number) => void): void {
  const command = lineage
    .command('diff')
    .description('a rewritten episode beside its parent, or two episodes')
    .argument('<child>', ID)
    .argument('[other]', 'another episode to stand right of it, in place of its parent left');
  addThingOptions(command).action(async (child: string, other: string | undefined, { run, json }: ThingOptions) => {
    const { diffEpisodes, diffLines } = await import('../lineage/episode-diff.ts');
    await inLineage(async (db, find) => {
      const kinds = ['trajectory'] as const;
      const subject = await find({ prefix: child, run, kinds });
      const second = other === undefined ? null : await find({ prefix: other, run, kinds });
      const diff = await diffEpisodes(db, subject, second);
      if (json) console.log(JSON.stringify({ ...nameOf(subject), ...diff }));
      else console.log(diffLines(diff, process.stdout.columns ?? FALLBACK_WIDTH).join('\n'));
    });
    done(EXIT.done);
  });
}

function addThingOptions(command: Command): Command {
  return command.option('--run <run>', 'look in this run alone (number or workflow id)').option('--json', 'print JSON');
}

type Find = (asked: Asked) => Promise<Subject>;
type Ask = (db: Queryable, find: Find) => Promise<void>;

/** What else holds the name goes to stderr: stdout is the answer alone. */
async function inLineage(ask: Ask): Promise<void> {
  const { askLineage } = await import('../lineage-database.ts');
  const { alsoInLine, findSubject } = await import('../lineage/subject.ts');
  await askLineage(({ db }) =>
    ask(db, async (asked) => {
      const subject = await findSubject(db, asked);
      const line = alsoInLine(subject);
      if (line !== null) console.error(line);
      return subject;
    }),
  );
}

function nameOf({ runId: run, workflowId, digest: id, kind, alsoIn }: Subject): object {
  return { run, workflowId, id, kind, alsoIn };
}

function headOf({ kind, digest, runId, workflowId }: Subject): string {
  return `${kind} ${digest} of run ${runId} (${workflowId})`;
}
