// The performance targets that races decide.
import { SIGNING_ALGORITHMS } from '../../src/core/signing-key.ts';
import { median } from '../quantiles.ts';
import { atMost, type Fact, memoryFact } from './facts.ts';
import { type LaneResult, loadName, ratio, type Slice } from './race.ts';
import type { Name } from './stable.ts';

export type Results = ReadonlyMap<string, readonly LaneResult[]>;

const OURS: Name = 'Tessera, SQLite';
const OPAQUE: Name = 'Tessera, SQLite, opaque';
const ECHO: Name = 'fastify echo';
/** The least that a refresh can cost on this machine: what a system call costs here cancels out. */
const BARE: Name = 'bare refresh, SQLite';

/** The ratio of the rates of two lanes in a suite. */
const RATES: readonly { suite: string; what: string; lane: Name; against: Name; atLeast: number }[] = [
  { suite: 'refresh', what: 'refresh, SQLite, of a bare refresh', lane: OURS, against: BARE, atLeast: 0.75 },
  {
    suite: 'refresh',
    what: 'refresh, PostgreSQL, of a bare refresh on PostgreSQL',
    lane: 'Tessera, PostgreSQL',
    against: 'bare refresh, PostgreSQL',
    atLeast: 0.7,
  },
  {
    suite: 'refresh',
    what: 'refresh, SQLite, of oidc-provider in memory',
    lane: OURS,
    against: 'oidc-provider, in memory',
    atLeast: 4.5,
  },
  { suite: 'verify', what: 'verify, of a fastify echo', lane: OURS, against: ECHO, atLeast: 0.5 },
  { suite: 'certificate', what: 'certificate, kept alive, of a TLS echo', lane: OURS, against: ECHO, atLeast: 0.8 },
  { suite: 'handshake', what: 'certificate, new connections, of a TLS echo', lane: OURS, against: ECHO, atLeast: 0.8 },
  {
    suite: 'many',
    what: 'refresh with many grants, of that with few',
    lane: 'Tessera, SQLite, many grants',
    against: OURS,
    atLeast: 0.9,
  },
];

export function targetFacts(results: Results): Fact[] {
  const lane = (suite: string, name: Name) => results.get(suite)?.find((result) => result.name === name);
  const facts = RATES.flatMap(({ suite, what, lane: name, against, atLeast: least }) => {
    const [ours, theirs] = [lane(suite, name), lane(suite, against)];
    return ours && theirs ? [atLeast(what, ratio(ours, theirs, perSecond), least)] : [];
  });
  const [ours, bare] = [lane('refresh', OURS), lane('refresh', BARE)];
  if (ours && bare) {
    facts.push(
      atMost(
        'refresh: p99, of a bare refresh’s',
        ratio(ours, bare, ({ p99 }) => p99),
        3,
        '',
        1,
      ),
    );
    facts.push(atMost('refresh: p99 / p50', median(ours.slices.map(({ p50, p99 }) => p99 / p50)), 3, '', 1));
  }
  const many = lane('many', 'Tessera, SQLite, many grants');
  if (many) facts.push(memoryFact('memory under load, many grants', many, 180));
  return [...facts, ...workersFacts(lane)];
}

/** What the oauth door and JWTs cost, beside the same operation at authsvc and opaque. */
const BESIDE: readonly (readonly [suite: string, what: string, lane: string, against: string])[] = [
  ['oauth-refresh', 'refresh at the oauth door, of that at authsvc', OPAQUE, loadName(OPAQUE, 'refresh')],
  ['introspect', 'introspection, of Verify', OPAQUE, loadName(OPAQUE, 'verify')],
  ['assertion', 'authorization by assertion, of that by certificate', OPAQUE, loadName(OPAQUE, 'certificate')],
  ...SIGNING_ALGORITHMS.flatMap((algorithm) => [
    ['oauth-refresh', `refresh with ${algorithm}, of opaque`, `Tessera, SQLite, ${algorithm}`, OPAQUE] as const,
    ['introspect', `introspection of ${algorithm}, of opaque`, `Tessera, SQLite, ${algorithm}`, OPAQUE] as const,
  ]),
];

export function doorFacts(results: Results): Fact[] {
  return BESIDE.flatMap(([suite, what, name, against]) => {
    const lane = (wanted: string) => results.get(suite)?.find((result) => result.name === wanted);
    const [ours, other] = [lane(name), lane(against)];
    return ours && other ? [{ what, measured: ratio(ours, other, perSecond).toFixed(2) }] : [];
  });
}

function workersFacts(lane: (suite: string, name: Name) => LaneResult | undefined): Fact[] {
  const scaling = (one: Name, two: Name) => {
    const [single, double] = [lane('workers', one), lane('workers', two)];
    return single && double && ratio(double, single, perSecond);
  };
  const echo = scaling('fastify echo, 1 worker', 'fastify echo, 2 workers');
  return (['SQLite', 'PostgreSQL'] as const).flatMap((store) => {
    const ours = scaling(`Tessera, ${store}, 1 worker`, `Tessera, ${store}, 2 workers`);
    return echo && ours ? [atLeast(`two workers, ${store}: our gain, of the echo’s`, ours / echo, 0.9)] : [];
  });
}

function atLeast(what: string, value: number, least: number): Fact {
  return { what, measured: value.toFixed(2), target: `≥ ${least}`, met: value >= least };
}

function perSecond(slice: Slice): number {
  return slice.perSecond;
}
