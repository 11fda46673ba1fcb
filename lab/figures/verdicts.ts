// CPU time of one verdict on certificates made to be expensive. Exits with 1 if a limit is exceeded.
import { generateKeyPairSync, sign, verify } from 'node:crypto';
import { epochSeconds } from '../../src/core/time.ts';
import { issuerOf } from '../../src/pki/judge/explain.ts';
import { judgeCertificate } from '../../src/pki/judge/judge.ts';
import { readRevocationList } from '../../src/pki/revocation/crl.ts';
import { systemClock } from '../../src/system.ts';
import { median } from '../quantiles.ts';
import { type HostileChain, signedChains, strangersChains } from './hostile-certificates.ts';
import { signedShapes, strangersShapes } from './hostile-shapes.ts';
import { table } from './measure.ts';

const RUNS = Number(process.env['RUNS'] ?? 15);
const BOUNDS = { 'before a signature': 5, 'after a signature': 25 } as const;

interface Figure {
  readonly what: string;
  readonly octets: number;
  readonly 'median ms': number;
  readonly 'least ms': number;
  readonly verdict: string;
}

export async function verdictFigures(): Promise<void> {
  console.log(`\none signature check with P-256 takes ${checkTime().toFixed(3)} ms on this machine now`);
  for (const [when, chains] of [
    ['before a signature', [...strangersChains(), ...strangersShapes()]],
    ['after a signature', [...signedChains(), ...signedShapes()]],
  ] as const) {
    const figures = chains.map(measure);
    console.log(`\n${when} of an approved issuer: at most ${BOUNDS[when]} ms of processor time\n`);
    table(figures.map((figure) => ({ ...figure })));
    const worst = Math.max(...figures.map((figure) => figure['median ms']));
    console.log(`\nworst: ${worst.toFixed(2)} ms`);
    // The minimum of several runs is the cost of the work; the rest is other processes and garbage collection.
    const broken = figures.filter((figure) => figure['least ms'] > BOUNDS[when]);
    for (const { what } of broken) console.log(`BROKEN: ${what}`);
    if (broken.length > 0) process.exitCode = 1;
  }
}

function measure({ what, chain, approved, others = [], lists }: HostileChain): Figure {
  const revocation = { crl: lists ? 'required' : 'off', ocsp: 'off', crlFiles: [], endGrants: true } as const;
  const issuers = [approved, ...others].map(({ certificate }) => issuerOf(certificate, 'figures', { revocation }));
  const now = epochSeconds(systemClock.now());
  const read = (lists ?? []).map(readRevocationList).flatMap((list) => (list.ok ? [list.value] : []));
  const judged = () => judgeCertificate({ chain, issuers, evidence: { lists: read, responses: [] }, now });
  const { outcome } = judged();
  const took = Array.from({ length: RUNS }, () => processorTime(judged));
  const verdict = outcome.ok ? 'accepted' : (outcome.refusal.rule ?? outcome.refusal.reason);
  const octets = chain.reduce((sum, { length }) => sum + length, 0);
  return { what, octets, 'median ms': median(took), 'least ms': Math.min(...took), verdict };
}

/** The unit of most of this work, for comparing runs on machines that are slower or busy. */
function checkTime(): number {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const octets = Buffer.alloc(400);
  const signature = sign('sha256', octets, privateKey);
  return Math.min(
    ...Array.from({ length: 100 }, () => processorTime(() => verify('sha256', octets, publicKey, signature))),
  );
}

function processorTime(work: () => unknown): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}
