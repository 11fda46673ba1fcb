// npm run fuzz -- certificates: mutated chains, signed again, judged by us, by OpenSSL through Node and by GnuTLS. What we
// accept and another refuses has to be explained (explained.ts); time per verdict is measured.
import type { ApprovedIssuer } from '../../src/core/issuer.ts';
import { issuerOf } from '../../src/pki/judge/explain-files.ts';
import { type Judgement, judgeCertificate } from '../../src/pki/judge/judge.ts';
import { systemClock } from '../../src/system.ts';
import { EXPLAINED } from './certificates/explained.ts';
import { startGnutls } from './certificates/gnutls.ts';
import { type Mutant, makeMutant } from './certificates/mutant.ts';
import { startOpenssl } from './certificates/openssl.ts';
import { Report } from './certificates/report.ts';
import { makeSeeds, type Seed } from './certificates/seeds.ts';

export interface FuzzOptions {
  readonly mutations: number;
  readonly first: number;
}

// The other verifiers get everything we accept, and this share of what we refuse.
const SHARE_OF_REFUSED = 20;
const AT_A_TIME = 8;
const SLOW_MS = 1;

type Issuers = ReadonlyMap<Seed, readonly ApprovedIssuer[]>;

/** Number of unexplained mutants. */
export async function fuzzCertificates({ mutations, first }: FuzzOptions): Promise<number> {
  const seeds = makeSeeds();
  const issuers = new Map(seeds.map((seed) => [seed, [issuerOf(seed.root.certificate, 'FUZZ')]]));
  const openssl = await startOpenssl([...new Set(seeds.map(({ root }) => root.pem))]);
  const gnutls = startGnutls();
  const report = new Report(EXPLAINED);
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
  await Promise.all(Array.from({ length: AT_A_TIME }, work));
  openssl.close();
  gnutls.close();
  return report.print();
}

/** Whether the path is valid; the others do not check the identity of the leaf. */
function timed(mutant: Mutant, issuers: Issuers, report: Report, number: number): boolean {
  const presented = { chain: mutant.chain, issuers: issuers.get(mutant.seed) ?? [], now: systemClock.now() };
  const judge = () => judgeCertificate({ ...presented, evidence: { lists: [], responses: [] } });
  const started = performance.now();
  const judgement = judge();
  let took = performance.now() - started;
  // The machine may be busy: slow verdicts are repeated, and the shortest time counts.
  for (let again = 0; again < 5 && took > SLOW_MS; again++) took = Math.min(took, timeOf(judge));
  report.took(took, number, mutant);
  return holds(judgement);
}

function timeOf(work: () => unknown): number {
  const started = performance.now();
  work();
  return performance.now() - started;
}

function holds({ outcome, steps }: Judgement): boolean {
  return outcome.ok || (steps.length > 1 && steps.every(({ passed, rule }) => passed || rule === 'identity'));
}
