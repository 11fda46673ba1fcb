// One recheck walk of a large LDAP directory: its time, its load on the directory, and refreshes a second with and without it.
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Identity, IdentityId } from '../../src/core/identity.ts';
import { systemClock } from '../../src/system.ts';
import { GROUPS, PEOPLE, type Slapd, startSlapd } from '../../test/directory/ldap/slapd.ts';
import { writeCertificates } from '../bench/certificates.ts';
import { tessera } from '../bench/contestants/tessera.ts';
import { Generator } from '../bench/generator/generator.ts';
import { CORES, pin } from '../bench/pinned.ts';
import { median } from '../quantiles.ts';
import { figuresFolder, table } from './measure.ts';

const CONNECTIONS = 64;
const SLICE_SECONDS = 2;
const SAMPLE_MS = 250;
const TEAM = 1_000;
const INDEXED = ['objectClass', 'entryUUID', 'uid', 'mail', 'member'];

interface Options {
  readonly entries: number;
  readonly living: number;
  /** A walk begins every 150 seconds, and at the start. */
  readonly seconds: number;
}

export async function directoryWalkFigures({ entries, living, seconds }: Options): Promise<void> {
  const slapd = await startSlapd({ indexed: INDEXED });
  await slapd.load(ldifOf(entries));
  // Beside the generator, as if on another machine.
  pin(slapd.pid(), CORES.generator);
  const folder = figuresFolder();
  const { timeoutMs: _, recheckAfter: __, trustFor: ___, ...directory } = slapd.settings;
  const service = await tessera({
    folder: join(folder, 'service'),
    certificates: folder,
    tls: writeCertificates(folder),
    filling: { spread: living, holders: Array.from({ length: living }, (_, number) => holder(number)) },
    sets: [`directories=${JSON.stringify([directory])}`],
  }).start();
  const generator = new Generator(CORES.generator);
  try {
    const load = service.load('refresh-spread', CONNECTIONS);
    if (!load) throw new Error('no refreshes');
    await generator.prepare('refresh', load);
    const until = performance.now() + seconds * 1000;
    const [samples, slices] = await Promise.all([sample(slapd, until), slice(generator, until)]);
    report(samples, slices, { entries, living });
  } finally {
    generator.stop();
    await service.stop();
    await slapd.stop();
  }
}

interface Sample {
  readonly at: number;
  readonly searches: number;
}

/** Searches of the service since the sample before. */
async function sample(slapd: Slapd, until: number): Promise<Sample[]> {
  const samples: Sample[] = [];
  let before = await slapd.searches();
  while (performance.now() < until) {
    await pause(SAMPLE_MS);
    const now = await slapd.searches();
    // One is that of the sample before.
    samples.push({ at: performance.now(), searches: now - before - 1 });
    before = now;
  }
  return samples;
}

interface Slice {
  readonly from: number;
  readonly to: number;
  readonly perSecond: number;
}

async function slice(generator: Generator, until: number): Promise<Slice[]> {
  const slices: Slice[] = [];
  while (performance.now() < until) {
    const from = performance.now();
    const { requests } = await generator.run('refresh', SLICE_SECONDS, 0);
    slices.push({ from, to: performance.now(), perSecond: requests / SLICE_SECONDS });
  }
  // The first warms up.
  return slices.slice(1);
}

function report(
  samples: readonly Sample[],
  slices: readonly Slice[],
  sizes: { entries: number; living: number },
): void {
  const busy = (from: number, to: number) => samples.filter(({ at }) => at > from && at <= to + SAMPLE_MS);
  const isWalking = ({ from, to }: Slice) => busy(from, to).every(({ searches }) => searches > 0);
  const isIdle = ({ from, to }: Slice) => busy(from, to).every(({ searches }) => searches === 0);
  const [during, without] = [slices.filter(isWalking), slices.filter(isIdle)].map((some) =>
    some.map(({ perSecond }) => perSecond),
  ) as [number[], number[]];
  const walking = samples.filter(({ searches }) => searches > 0);
  const searches = walking.reduce((total, each) => total + each.searches, 0);
  const walks = samples.filter(
    ({ searches }, place) => searches > 0 && (samples[place - 1]?.searches ?? 0) === 0,
  ).length;
  const seconds = (walking.length * SAMPLE_MS) / 1000;
  table([
    {
      entries: sizes.entries,
      'with grants': sizes.living,
      walks,
      'seconds a walk': Math.round(seconds / walks),
      'searches a walk': Math.round(searches / walks),
      'searches/s': Math.round(searches / seconds),
      'refreshes/s': Math.round(median(without)),
      'during walks': Math.round(median(during)),
      ratio: Number((median(during) / median(without)).toFixed(3)),
    },
  ]);
  console.log(`slices of ${SLICE_SECONDS} s: ${during.length} during walks, ${without.length} without`);
}

function holder(number: number): Identity {
  return {
    id: `corp:{${uuidOf(number)}}` as IdentityId,
    enabled: true,
    mayUseApi: true,
    groups: [`corp/team ${Math.floor(number / TEAM)}`],
    userName: `person${number}`,
    email: `person${number}@example.com`,
    seenAt: systemClock.now(),
  };
}

function uuidOf(number: number): string {
  return `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`;
}

/** People, a thousand in each group. */
function ldifOf(entries: number): string {
  const dn = (number: number) => `uid=person${number},${PEOPLE}`;
  const people = Array.from({ length: entries }, (_, number) => {
    const names = `uid: person${number}\ncn: Person ${number}\nsn: ${number}\nmail: person${number}@example.com`;
    return `dn: ${dn(number)}\nobjectClass: inetOrgPerson\n${names}\nentryUUID: ${uuidOf(number)}\n`;
  });
  const teams = Array.from({ length: Math.ceil(entries / TEAM) }, (_, team) => {
    const size = Math.min(TEAM, entries - team * TEAM);
    const members = Array.from({ length: size }, (_, place) => `member: ${dn(team * TEAM + place)}`);
    return `dn: cn=team ${team},${GROUPS}\nobjectClass: groupOfNames\ncn: team ${team}\n${members.join('\n')}\n`;
  });
  return [...people, ...teams].join('\n');
}
