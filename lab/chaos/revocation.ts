// Endless, slow, huge, compressed, redirecting and flapping CRL and OCSP servers, each named by the
// certificates of an approved issuer, while a good caller of another issuer keeps working.
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { ApprovedIssuer, RevocationPolicy } from '../../src/core/issuer.ts';
import { openStore } from '../../src/open-store.ts';
import { contextTag } from '../../src/pki/der/der.ts';
import { write, writeContext, writeOid, writeSequence } from '../../src/pki/der/der-write.ts';
import { EXTENSION } from '../../src/pki/x509/extensions.ts';
import { type Authority, type Issued, makeAuthority } from '../../test/authority.ts';
import { callerOver, json } from '../../test/e2e/caller.ts';
import { makeHome, populate } from '../../test/e2e/service.ts';
import { CERTIFICATE, CLIENT } from '../../test/e2e/steps.ts';
import { largeList, largeSerial } from '../../test/large-list.ts';
import { ecKeys, extension } from '../../test/signed-der.ts';
import { Generator, type Load, type Tally } from './crowds/generator.ts';
import { entryOf, Service } from './service.ts';
import { residentMiB } from './siege.ts';

const ENTRIES = 1_000_000;
const CALM_MS = 4_000;
const ATTACK_MS = 20_000;
/** A caller that requests grants. */
const GOOD: Omit<Load, 'lastsMs'> = {
  connections: 2,
  from: ['127.0.0.1'],
  step: 'grant',
  tokens: [''],
  isConnected: true,
  demands: [{ perSecond: 100 }],
};
const MOST_P99_MS = 50;
/** A ratio to the time without the attack, since the machine may be busy. */
const MOST_TIMES_CALM = 4;
const MOST_GROWTH_MB = 350;
/** Requests allowed per URL during the drill: the first try and those after back-off, unless stated here. */
const MOST_VISITS: Readonly<Record<string, number>> = {
  // For all URLs named by the certificates of one issuer.
  missing: 16,
  // It answers, though unreadably: one request per certificate.
  'garbage/ocsp': 100,
};

interface Foe {
  readonly name: string;
  readonly authority: Authority;
  readonly policy: Partial<RevocationPolicy>;
  readonly paths: readonly string[];
}

const LISTS = ['endless', 'dribble', 'silent', 'headers', 'bomb', 'large', 'redirect', 'flapping', 'garbage', 'huge'];
const RESPONDERS = ['endless', 'dribble', 'silent', 'bomb', 'redirect', 'garbage'];

function foesOf(): Foe[] {
  const foe = (name: string, policy: Partial<RevocationPolicy>, paths: readonly string[]): Foe => {
    return { name, authority: makeAuthority({ name }), policy, paths };
  };
  const many = Array.from({ length: 350 }, (_, index) => `missing/${index}`);
  return [
    ...LISTS.map((path) => foe(`list-${path}`, { crl: 'if-available' }, [path])),
    ...RESPONDERS.map((path) => foe(`ocsp-${path}`, { ocsp: 'if-available' }, [`${path}/ocsp`])),
    foe('list-many', { crl: 'if-available' }, many),
    foe('list-private', { crl: 'if-available', allowedAddresses: [] }, ['good/private']),
  ];
}

function approved({ name, authority, policy }: Foe): Partial<ApprovedIssuer> {
  const usual = { crl: 'off', ocsp: 'off', crlFiles: [], allowedAddresses: ['127.0.0.1'], endGrants: true } as const;
  return { label: name, certificate: authority.certificate, revocation: { ...usual, ...policy } };
}

const keys = ecKeys();

function certificateOf({ authority, policy, paths }: Foe, port: number, serial?: Uint8Array): Issued {
  const names = paths.map((path) => write(contextTag(6, 'primitive'), Buffer.from(`http://127.0.0.1:${port}/${path}`)));
  const points = names.map((name) => writeSequence(writeContext(0, writeContext(0, name))));
  const access = names.map((name) => writeSequence(writeOid('1.3.6.1.5.5.7.48.1'), name));
  const extensions = policy.ocsp
    ? [extension(EXTENSION.authorityInfoAccess, writeSequence(...access))]
    : [extension(EXTENSION.crlDistributionPoints, writeSequence(...points))];
  return authority.issue({ commonName: 'ada', keys, extensions, ...(serial && { serial }) });
}

interface Place {
  readonly port: number;
  readonly ca: string;
}

async function authorize({ port, ca }: Place, certificate: Issued): Promise<number> {
  const caller = callerOver('HTTP/1.1', { port, ca, certificate });
  try {
    const { status } = await caller.ask({ path: CERTIFICATE, ...json({ client_id: CLIENT, scope: 'orders:read' }) });
    return status;
  } finally {
    caller.close();
  }
}

/** Presents new certificates until stopped. */
async function attack(foe: Foe, serverPort: number, place: Place, isOver: () => boolean): Promise<void> {
  while (!isOver()) {
    await authorize(place, certificateOf(foe, serverPort)).catch(() => 0);
    await pause(1_000);
  }
}

function writeLists(folder: string, foes: readonly Foe[]): void {
  const authorityOf = (name: string) => foes.find((foe) => foe.name === name)?.authority ?? makeAuthority();
  const soon = new Date(Date.now() - 1000).toISOString().replace(/\.\d+/, '');
  writeFileSync(join(folder, 'good.crl'), authorityOf('list-private').crl());
  writeFileSync(join(folder, 'huge.crl'), largeList(authorityOf('list-huge'), ENTRIES));
  writeFileSync(join(folder, 'flapping.crl'), authorityOf('list-flapping').crl({ nextUpdate: soon }));
}

export async function revocationUnderAttack(): Promise<number> {
  const home = makeHome({ log: { level: 'error' } });
  const foes = foesOf();
  writeLists(home.folder, foes);
  const store = await openStore(home.config, 'init');
  await populate(store, home.authority, [{}, ...foes.map(approved)]);
  await store.close();
  const rude = fork(new URL('rude-lists.ts', import.meta.url), [home.folder]);
  const [serverPort] = (await once(rude, 'message')) as [number];
  const service = await Service.start(entryOf(home));
  try {
    return await drill(
      foes,
      serverPort,
      { port: service.port, ca: home.authority.pem },
      service.child,
      rude,
      home.authority,
    );
  } finally {
    rude.disconnect();
    await service.kill();
    rmSync(home.folder, { recursive: true, force: true });
  }
}

async function drill(
  foes: readonly Foe[],
  serverPort: number,
  place: Place,
  service: ChildProcess,
  rude: ChildProcess,
  authority: Authority,
): Promise<number> {
  const good = new Generator();
  const { pem: cert, key } = authority.issue({ commonName: 'ada' });
  const callFor = async (lastsMs: number) => {
    const load: Load = { ...GOOD, certificate: { cert, key }, lastsMs };
    return (await good.run({ ...place, pid: service.pid ?? 0 }, { load }))[0] as Tally;
  };
  const calm = await callFor(CALM_MS);
  const before = residentMiB({ child: service });
  let isOver = false;
  let most = 0;
  const watching = setInterval(() => {
    most = Math.max(most, residentMiB({ child: service }));
  }, 50);
  const attackers = foes.map((foe) => attack(foe, serverPort, place, () => isOver));
  const attacked = await callFor(ATTACK_MS);
  good.close();
  isOver = true;
  await Promise.all(attackers);
  clearInterval(watching);
  rude.send('tell');
  const [asked] = (await once(rude, 'message')) as [string[]];
  const huge = foes.find(({ name }) => name === 'list-huge') as Foe;
  const listed = await authorize(place, certificateOf(huge, serverPort, largeSerial(ENTRIES - 1)));
  const unlisted = await authorize(place, certificateOf(huge, serverPort));
  console.log('good caller, calm:    ', words(calm));
  console.log('good caller, attacked:', words(attacked));
  console.log(`memory: ${before.toFixed(0)} MB before, at most ${most.toFixed(0)} MB`);
  console.log(`visits: ${JSON.stringify(Object.fromEntries(visitsOf(asked)))}`);
  console.log(`a list of ${ENTRIES} entries: named ${listed}, not named ${unlisted}`);
  const broken = brokenPromises({ calm, attacked, growth: most - before, asked, listed, unlisted });
  for (const promise of broken) console.log(`BROKEN: ${promise}`);
  return broken.length;
}

const failedOf = ({ sent, answers }: Tally) => sent - (answers[200] ?? 0);

function words(tally: Tally): string {
  const [p50, p99, slowest] = [tally.p50, tally.p99, tally.slowest].map((ms) => `${ms.toFixed(1)} ms`);
  return `${tally.sent} requests, ${failedOf(tally)} failed, p50 ${p50}, p99 ${p99}, slowest ${slowest}`;
}

function visitsOf(asked: readonly string[]): Map<string, number> {
  const kinds = asked.map((path) => path.replace(/^\/missing\/.*/, '/missing').slice(1));
  return new Map([...Map.groupBy(kinds, (kind) => kind)].map(([kind, all]) => [kind, all.length]));
}

interface Found {
  readonly calm: Tally;
  readonly attacked: Tally;
  readonly growth: number;
  readonly asked: readonly string[];
  readonly listed: number;
  readonly unlisted: number;
}

function brokenPromises({ calm, attacked, growth, asked, listed, unlisted }: Found): string[] {
  const broken: string[] = [];
  const mostMs = Math.max(MOST_P99_MS, calm.p99 * MOST_TIMES_CALM);
  if (failedOf(attacked) > 0) broken.push(`${failedOf(attacked)} requests of the good caller failed`);
  if (attacked.p99 > mostMs) broken.push(`p99 of the good caller is above ${mostMs.toFixed(0)} ms`);
  if (growth > MOST_GROWTH_MB) broken.push(`memory grew by ${growth.toFixed(0)} MB`);
  if (asked.some((path) => path.startsWith('/good'))) broken.push('a private address was visited that nobody listed');
  if (asked.includes('/hello')) broken.push('a redirect was followed');
  for (const [path, visits] of visitsOf(asked)) {
    if (visits > (MOST_VISITS[path] ?? 4)) broken.push(`${path} was visited ${visits} times`);
  }
  if (listed !== 401 || unlisted !== 200) broken.push('the large list is not in force');
  return broken;
}
