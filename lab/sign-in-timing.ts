// Does the time of a failed sign-in reveal whether the name exists? Known and unknown names in random order:
//   npm run sign-in-timing [-- --samples 2000] [--seed 1] [--ldap] [--known carol]
// With --ldap, an LDAP server stands beside the local directory: `ada` is local, `carol` is there.
// 20,000 samples take about 20 minutes; run nothing else meanwhile.
// Prints Welch's t for all samples and for those below the 90th percentile. Exits with 1 if |t| is 4.5 or more,
// the usual threshold for timing leaks.
import { parseArgs } from 'node:util';
import { addPerson, type Slapd, startSlapd } from '../test/directory/ldap/slapd.ts';
import { PASSWORD, startService } from '../test/doors/pages/running-service.ts';
import { Visitor } from '../test/doors/pages/visitor.ts';
import { Seeded } from '../test/seeded.ts';

/** Milliseconds of two kinds of requests. */
interface Timed {
  readonly known: number[];
  readonly unknown: number[];
}

const THRESHOLD = 4.5;
/** After how many samples the remaining time is estimated. */
const FIRST_ESTIMATE = 200;
const { values } = parseArgs({
  options: {
    samples: { type: 'string', default: '2000' },
    seed: { type: 'string', default: '1' },
    ldap: { type: 'boolean', default: false },
    known: { type: 'string', default: 'ada' },
  },
});
const chance = new Seeded(Number(values.seed));
const samples = Number(values.samples);
if (!Number.isSafeInteger(samples) || samples < 100)
  throw new Error('--samples must be a whole number of at least 100');

const slapd = values.ldap ? await startSlapd() : undefined;
if (slapd) await addPerson(slapd, 'carol');
const service = await startService({
  isHashSlow: true,
  sets: [
    'signIn.failedPerIdentity=1000',
    'signIn.failedPerAddress=100000',
    'limits.requestsPerAddress.perMinute=1000000',
    ...(slapd ? [`directories=${JSON.stringify([directoryOf(slapd)])}`] : []),
  ],
});
const visitor = new Visitor(service);
await visitor.get('/account/sign-in');
const timed: Timed = { known: [], unknown: [] };
const began = performance.now();
for (let n = 0; n < samples; n++) {
  const kind = chance.chance(0.5) ? 'known' : 'unknown';
  const user_name = kind === 'known' ? values.known : 'eve';
  const begun = performance.now();
  const { status } = await visitor.post('/account/sign-in', { user_name, password: `${PASSWORD}!` });
  if (n >= 20) timed[kind].push(performance.now() - begun); // the first ones warm up
  if (status !== 403) throw new Error(`no password was checked: ${status}`);
  service.advance(901); // neither delays nor limits
  if (n === FIRST_ESTIMATE && samples > 10 * n) printEstimate();
}
await service.stop();
await slapd?.stop();

const [all, quick] = [welch(timed), welch(cropped(timed, 0.9))];
console.log(`${timed.known.length} known and ${timed.unknown.length} unknown names`);
console.log(`all: t ${all.t.toFixed(2)}, means differ by ${(all.difference * 1000).toFixed(0)} µs`);
console.log(`below the 90th percentile: t ${quick.t.toFixed(2)}, ${(quick.difference * 1000).toFixed(0)} µs`);
process.exitCode = Math.abs(quick.t) < THRESHOLD && Math.abs(all.t) < THRESHOLD ? 0 : 1;

/** As the configuration has it. */
function directoryOf({ settings }: Slapd): object {
  const { timeoutMs: _, recheckAfter, trustFor, ...directory } = settings;
  return { ...directory, recheckAfter: `${recheckAfter}s`, trustFor: `${trustFor}s` };
}

function printEstimate(): void {
  const minutes = ((performance.now() - began) / FIRST_ESTIMATE) * (samples / 60_000);
  console.log(`${samples} samples take about ${minutes.toFixed(0)} minutes`);
}

/** Welch's t-test: how many standard errors lie between the means. */
function welch({ known, unknown }: Timed): { t: number; difference: number } {
  const [a, b] = [momentsOf(known), momentsOf(unknown)];
  const difference = a.mean - b.mean;
  return { t: difference / Math.sqrt(a.variance / known.length + b.variance / unknown.length), difference };
}

function momentsOf(values: readonly number[]): { mean: number; variance: number } {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const variance = values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (values.length - 1);
  return { mean, variance };
}

/** Without the slowest, which are noise: one limit for both kinds together. */
function cropped({ known, unknown }: Timed, part: number): Timed {
  const sorted = [...known, ...unknown].sort((a, b) => a - b);
  const limit = sorted[Math.floor(sorted.length * part)] ?? Number.POSITIVE_INFINITY;
  const below = (values: readonly number[]) => values.filter((value) => value < limit);
  return { known: below(known), unknown: below(unknown) };
}
