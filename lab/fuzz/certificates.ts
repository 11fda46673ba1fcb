// Mutated chains, signed again, judged by us, by OpenSSL through Node and by GnuTLS. What we
// accept and another refuses has to be explained (explained.ts); the time of each verdict is measured.
import type { ApprovedIssuer } from '../../src/core/issuer.ts';
import { issuerOf } from '../../src/pki/judge/explain.ts';
import { type Judgement, judgeCertificate } from '../../src/pki/judge/judge.ts';
import { systemClock } from '../../src/system.ts';
import { EXPLAINED } from './certificates/explained.ts';
import { startGnutls } from './certificates/gnutls.ts';
import { type Mutant, makeMutant } from './certificates/mutant.ts';
import { startOpenssl } from './certificates/openssl.ts';
import { Report, type Results, unexplained } from './certificates/report.ts';
import { makeSeeds, type Seed } from './certificates/seeds.ts';
import type { Range } from './range.ts';

// The other verifiers get everything we accept, and this share of what we refuse.
const SHARE_OF_REFUSED = 20;
const AT_A_TIME = 8;
const SLOW_MS = 2;
const PROGRESS_MS = 15_000;

type Issuers = ReadonlyMap<Seed, readonly ApprovedIssuer[]>;

/** The same mutations of seeds with other keys may be other mutants. */
export async function fuzzCertificates({ first, mutations }: Range, seeds = makeSeeds()): Promise<Results> {
  const issuers = new Map(seeds.map((seed) => [seed, [issuerOf(seed.root.certificate, 'FUZZ')]]));
  const openssl = await startOpenssl([...new Set(seeds.map(({ root }) => root.pem))]);
  const gnutls = startGnutls();
  const report = new Report(EXPLAINED);
  const progress = setInterval(() => printProgress(report.results, { first, mutations }), PROGRESS_MS);
  let next = first;
  const work = async () => {
    while (next < first + mutations) {
      const number = next++;
      const mutant = makeMutant(seeds, number);
      const isAccepted = timed(mutant, issuers, report, number);
      report.count(isAccepted);
      if (!isAccepted && number % SHARE_OF_REFUSED !== 0) continue;
      const { chain, seed } = mutant;
      const [byOpenssl, byGnutls] = await Promise.all([
        openssl.ask(chain, seed.leaf.key),
        gnutls.ask(seed.root.certificate, chain),
      ]);
      report.compare(number, mutant, isAccepted, { OpenSSL: byOpenssl, GnuTLS: byGnutls });
    }
  };
  try {
    await Promise.all(Array.from({ length: AT_A_TIME }, work));
  } finally {
    clearInterval(progress);
    openssl.close();
    gnutls.close();
  }
  return report.results;
}

function printProgress(results: Results, { first, mutations }: Range): void {
  const { judged, accepted, slowest } = results;
  const worst = `worst verdict ${(slowest[0]?.ms ?? 0).toFixed(2)} ms`;
  const counts = `${accepted} accepted, ${unexplained(results)} unexplained, ${worst}`;
  console.error(`from ${first}: ${judged} of ${mutations} (${((100 * judged) / mutations).toFixed(0)} %), ${counts}`);
}

/** Whether the path is valid; the others do not check the identity of the leaf. */
function timed(mutant: Mutant, issuers: Issuers, report: Report, number: number): boolean {
  const presented = { chain: mutant.chain, issuers: issuers.get(mutant.seed) ?? [], now: systemClock.now() };
  const judge = () => judgeCertificate({ ...presented, evidence: { lists: [], responses: [] } });
  const { judgement, ms } = timeOf(judge);
  let took = ms;
  // Slow verdicts are repeated, and the shortest time counts: other processes and garbage collection are not part of the
  // work. The system counts processor time too coarsely for a single verdict.
  for (let again = 0; again < 9 && took > SLOW_MS; again++) took = Math.min(took, timeOf(judge).ms);
  report.took(took, number, mutant);
  return holds(judgement);
}

function timeOf(judge: () => Judgement): { judgement: Judgement; ms: number } {
  const began = performance.now();
  const judgement = judge();
  return { judgement, ms: performance.now() - began };
}

function holds({ outcome, steps }: Judgement): boolean {
  return outcome.ok || (steps.length > 1 && steps.every(({ passed, rule }) => passed || rule === 'identity'));
}
