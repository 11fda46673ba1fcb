// npm run fuzz -- WHAT [--mutations N] [--first N]: thousands of hostile inputs, compared with other implementations.
// Every mutant has a number: `--first NUMBER --mutations 1` reproduces it.
import { parseArgs } from 'node:util';
import { fuzzCertificates } from './fuzz/certificates.ts';

const FUZZERS = {
  certificates: [fuzzCertificates, 'mutated chains, signed again, judged by us, by OpenSSL and by GnuTLS'],
} as const;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    mutations: { type: 'string', default: '5000' },
    first: { type: 'string', default: '1' },
    help: { type: 'boolean', default: false },
  },
});
const [fuzz] = FUZZERS[positionals[0] as keyof typeof FUZZERS] ?? [];
if (fuzz && !values.help) {
  const open = await fuzz({ mutations: Number(values.mutations), first: Number(values.first) });
  process.exitCode = open > 0 ? 1 : 0;
} else {
  console.log('npm run fuzz -- WHAT [--mutations 5000] [--first 1]\n');
  for (const [name, [, what]] of Object.entries(FUZZERS)) console.log(`  ${name.padEnd(14)} ${what}`);
  process.exitCode = values.help ? 0 : 1;
}
