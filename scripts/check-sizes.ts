/** No TypeScript file above 400 lines: beyond that it holds more than one concept. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { REPOSITORY, sourceFiles } from './source-files.ts';

const MAXIMUM = 400;

const files = sourceFiles('.', '.ts');
const lines = (file: string): number => readFileSync(join(REPOSITORY, file), 'utf8').split('\n').length - 1;
const tooLong = files.map((file) => ({ file, count: lines(file) })).filter(({ count }) => count > MAXIMUM);
for (const { file, count } of tooLong) console.log(`${file}: ${count} lines; the cap is ${MAXIMUM}: split it`);
if (files.length === 0) console.log('no TypeScript file found');
process.exitCode = tooLong.length === 0 && files.length > 0 ? 0 : 1;
