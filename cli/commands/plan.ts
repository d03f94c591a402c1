/** `rsi plan`: prints the complete configuration that `demo` would run with, and what it amounts to; runs nothing. */
import type { Command } from 'commander';
import { digestOf } from '../../contracts/digest.ts';
import { differences, flatten } from '../../viewer/report/changed-keys.ts';
import { parseRunConfig } from '../../contracts/config/parse-config.ts';
import { EXIT } from '../exit.ts';
import { planRun } from '../progress/plan.ts';
import { defaultRunFolder } from '../run-folder.ts';
import { addRunOptions, resolveConfig, type RunOptions } from '../run-options.ts';

interface PlanOptions extends RunOptions {
  readonly wasm?: boolean;
  readonly json?: boolean;
}

export function addPlanCommand(program: Command, done: (code: number) => void): Command {
  const command = program.command('plan').description('print the resolved configuration of a run, without running it');
  return addRunOptions(command)
    .option('--wasm', 'as on the wasm backend')
    .option('--json', 'print the configuration alone, as JSON')
    .action((options: PlanOptions) => {
      const wasm = options.wasm ?? process.env['TERMINAL_RSI_BACKEND'] === 'wasm';
      const config = resolveConfig(options, wasm ? 'wasm' : 'native');
      if (options.json) {
        console.log(JSON.stringify(config, null, 2));
        done(EXIT.done);
        return;
      }
      const changed = new Set(differences(flatten(config), flatten(parseRunConfig({}))).map(({ key }) => key));
      for (const [key, value] of flatten(config)) {
        console.log(`${changed.has(key) ? '*' : ' '} ${key} = ${JSON.stringify(value)}`);
      }
      const amounts = new Map<string, number>();
      for (const { pace, amount } of planRun(config)) amounts.set(pace, (amounts.get(pace) ?? 0) + amount);
      console.log(
        `\n* differs from the default. Digest ${digestOf(config).slice(0, 12)}, folder ${defaultRunFolder(config)}`,
      );
      console.log(`Amounts: ${[...amounts].map(([pace, amount]) => `${pace} ${Math.round(amount)}`).join(', ')}`);
      done(EXIT.done);
    });
}
