// npm run fuzz -- WHAT [--mutations N] [--first N] [--processes N]: thousands of hostile inputs, compared with other
// implementations. Every mutant has a number: `--first NUMBER --mutations 1` reproduces it.
import { fork } from 'node:child_process';
import { parseArgs } from 'node:util';
import { printResults, type Results, sumOf, unexplained } from './fuzz/certificates/report.ts';
import { fuzzCertificates } from './fuzz/certificates.ts';
import { type Range, split } from './fuzz/range.ts';

const FUZZERS = {
  certificates: [fuzzCertificates, 'mutated chains, signed again, judged by us, by OpenSSL and by GnuTLS'],
} as const;
type Fuzzer = keyof typeof FUZZERS;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    mutations: { type: 'string', default: '5000' },
    first: { type: 'string', default: '1' },
    processes: { type: 'string', default: '1' },
    help: { type: 'boolean', default: false },
  },
});

/** Runs a range in a process of its own, which sends its results back. */
function elsewhere(name: Fuzzer, { first, mutations }: Range): Promise<Results> {
  const child = fork(import.meta.filename, [name, `--first=${first}`, `--mutations=${mutations}`]);
  return new Promise((resolve, reject) => {
    child.once('message', (results) => resolve(results as Results));
    child.once('exit', (code) => reject(new Error(`the process for mutants from ${first} ended with ${code}`)));
  });
}

async function run(name: Fuzzer): Promise<void> {
  const range = { first: Number(values.first), mutations: Number(values.mutations) };
  const [fuzz] = FUZZERS[name];
  const processes = Number(values.processes);
  const parts = processes > 1 ? split(range, processes).map((part) => elsewhere(name, part)) : [fuzz(range)];
  const results = sumOf(await Promise.all(parts));
  if (process.send) {
    process.send(results, () => process.disconnect());
    return;
  }
  printResults(results);
  process.exitCode = unexplained(results) > 0 ? 1 : 0;
}

const [name = ''] = positionals;
if (name in FUZZERS && !values.help) await run(name as Fuzzer);
else {
  console.log('npm run fuzz -- WHAT [--mutations 5000] [--first 1] [--processes 1]\n');
  for (const [fuzzer, [, what]] of Object.entries(FUZZERS)) console.log(`  ${fuzzer.padEnd(14)} ${what}`);
  process.exitCode = values.help ? 0 : 1;
}
