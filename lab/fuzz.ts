// Thousands of hostile certificates, compared with other implementations. Every mutant has a number: `--first NUMBER --mutations 1`
// reproduces it.
import { fork } from 'node:child_process';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { printResults, type Results, sumOf, unexplained } from './fuzz/certificates/report.ts';
import { fuzzCertificates } from './fuzz/certificates.ts';
import { type Range, split } from './fuzz/range.ts';

/** Exit code: 0 if each difference is explained. */
export async function fuzz(args: readonly string[]): Promise<number> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      mutations: { type: 'string', default: '5000' },
      first: { type: 'string', default: '1' },
      processes: { type: 'string', default: '1' },
    },
  });
  const range = { first: Number(values.first), mutations: Number(values.mutations) };
  const processes = Number(values.processes);
  const parts = processes > 1 ? split(range, processes).map(elsewhere) : [fuzzCertificates(range)];
  const results = sumOf(await Promise.all(parts));
  if (process.send) process.send(results, () => process.disconnect());
  else printResults(results);
  return unexplained(results) > 0 ? 1 : 0;
}

/** Runs a range in a process of its own, which sends its results back. */
function elsewhere({ first, mutations }: Range): Promise<Results> {
  const main = join(import.meta.dirname, 'main.ts');
  const child = fork(main, ['fuzz', `--first=${first}`, `--mutations=${mutations}`]);
  return new Promise((resolve, reject) => {
    child.once('message', (results) => resolve(results as Results));
    child.once('exit', (code) => reject(new Error(`the process for mutants from ${first} ended with ${code}`)));
  });
}
