// Every kind of token, and both kinds of work, one race each: a lane that fails is named and left out, and the others race again.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Running } from '../bench/contestant.ts';
import type { Generator } from '../bench/generator/generator.ts';
import { type Proof, prove } from '../bench/proof.ts';
import { type LaneResult, loadName, type Pace, race, ratios, type Slice } from '../bench/race.ts';
import { median, quartiles } from '../quantiles.ts';
import type { LaneFigures, Missing, Work } from './data.ts';
import { nameOf, type Peer, type TokenKind } from './peer.ts';

interface Race {
  readonly folder: string;
  readonly generator: Generator;
  readonly pace: Pace;
  /** When no race begins any more. */
  readonly ends: number;
  readonly missing: Missing[];
  readonly tokens: readonly TokenKind[];
  readonly isQuick: boolean;
}

interface Started {
  readonly peer: Peer;
  readonly running: Running;
  readonly name: string;
}

const KIND = { refresh: 'oauth-refresh', check: 'introspect' } as const;

export async function raceAll(peers: readonly Peer[], options: Race): Promise<LaneFigures[]> {
  const figures: LaneFigures[] = [];
  for (const token of options.tokens) {
    for (const peer of peers.filter(({ issues }) => !issues.includes(token)))
      options.missing.push({ what: `${nameOf(peer)}: ${token}`, why: 'it does not issue such tokens' });
    if (Date.now() > options.ends) {
      options.missing.push({ what: `all: ${token}`, why: 'out of time' });
      continue;
    }
    const started = await startAll(peers, token, options);
    try {
      for (const work of ['refresh', 'check'] as const) figures.push(...(await raceOne(started, token, work, options)));
    } finally {
      for (const { running } of started) await running.stop();
    }
  }
  return figures;
}

async function startAll(peers: readonly Peer[], token: TokenKind, { folder, pace, missing }: Race): Promise<Started[]> {
  const started: Started[] = [];
  for (const peer of peers.filter(({ issues }) => issues.includes(token))) {
    const name = `${nameOf(peer)}, ${token}`;
    const own = join(folder, name.replaceAll(/\W+/g, '-'));
    mkdirSync(own);
    console.log(`${clock()} starting ${name}`);
    try {
      started.push({ peer, name, running: await peer.start(token, own, pace.connections) });
    } catch (error) {
      const { message, cause = '' } = error as Error;
      missing.push({ what: name, why: `did not start: ${message} ${String(cause)}`.trim() });
      console.log(`  did not start: ${message} ${String(cause)}`);
    }
  }
  return started;
}

async function raceOne(all: readonly Started[], token: TokenKind, work: Work, options: Race): Promise<LaneFigures[]> {
  const { missing, generator, pace, isQuick } = options;
  let lanes = all.filter(({ peer }) => work === 'refresh' || peer.checks.includes(token));
  for (const { name } of all.filter((each) => !lanes.includes(each)))
    missing.push({ what: `${name}: ${work}`, why: 'its introspection does not accept such tokens' });
  while (lanes.length > 0 && Date.now() < options.ends) {
    console.log(`${clock()} ${work}, ${token}: ${lanes.map(({ name }) => name).join('; ')}`);
    const racing = lanes.map(({ name, running, peer }) => ({
      ...{ name, running },
      // The first race has warmed most of it.
      ...(!isQuick && { coldSeconds: work === 'refresh' ? peer.coldSeconds : Math.min(peer.coldSeconds, 15) }),
    }));
    try {
      const results = await race(KIND[work], racing, generator, pace);
      const figures: LaneFigures[] = [];
      for (const lane of lanes) figures.push(await laneFigures(lane, lanes, results, token, work, generator));
      const isWhole = ({ ratio, perSecond }: LaneFigures) => perSecond > 0 && ratio.every(Number.isFinite);
      for (const [at, { name }] of lanes.entries())
        if (!isWhole(figures[at] as LaneFigures))
          missing.push({ what: `${name}: ${work}`, why: 'too slow for a slice' });
      return figures.filter(isWhole);
    } catch (error) {
      const { message } = error as Error;
      const failed = lanes.find(({ name }) => message.includes(loadName(name, KIND[work])));
      if (!failed) throw error;
      missing.push({ what: `${failed.name}: ${work}`, why: message.slice(0, 300) });
      console.log(`  left out: ${message}`);
      lanes = lanes.filter((lane) => lane !== failed);
    }
  }
  if (lanes.length > 0) missing.push({ what: `all: ${work}, ${token}`, why: 'out of time' });
  return [];
}

async function laneFigures(
  { peer, name, running }: Started,
  lanes: readonly Started[],
  results: readonly LaneResult[],
  token: TokenKind,
  work: Work,
  generator: Generator,
): Promise<LaneFigures> {
  const resultOf = (wanted: string) => results.find((result) => result.name === wanted) as LaneResult;
  const own = resultOf(name);
  const ours = lanes.find((lane) => lane.peer.product === 'Tessera' && lane.peer.store === peer.store);
  const of = (figure: (slice: Slice) => number) => median(own.slices.map(figure));
  const perSecond = (slice: Slice) => slice.perSecond;
  const multiples = quartiles(ours ? ratios(resultOf(ours.name), own, perSecond) : [Number.NaN]);
  const load = running.load(KIND[work], 1);
  const proof: Proof | undefined =
    work === 'refresh' && load
      ? await prove(load, await generator.report(loadName(name, KIND[work])), token)
      : undefined;
  if (proof) console.log(`  ${name}: ${JSON.stringify(proof)}`);
  return {
    ...{ work, token, product: peer.product, store: peer.store },
    perSecond: Math.round(of(perSecond)),
    cpu: Math.round(of(({ cpuPerRequest }) => cpuPerRequest)),
    p99: Number(of(({ p99 }) => p99).toFixed(1)),
    megabytes: Math.round(of(({ memory }) => memory)),
    requests: own.slices.reduce((sum, { requests }) => sum + requests, 0),
    ratio: multiples.map((each) => Number(each.toFixed(2))) as [number, number, number],
    ...(proof && { proof }),
  };
}

function clock(): string {
  return new Date().toISOString().slice(11, 19);
}
