// A whole service in its own process for drills that attack it over the network, and the checks after each drill.
import type { ChildProcess } from 'node:child_process';
import { readdirSync, readFileSync, readlinkSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { type Answer, callerOver, type Reach } from '../../test/e2e/caller.ts';
import { type Home, populatedHome, type SetUp } from '../../test/e2e/service.ts';
import { type Pair, pairByCertificate, refresh } from '../../test/e2e/steps.ts';
import { entryOf, Service } from './service.ts';

const MOST_MEMORY = 1.3;
const SETTLED_WITHIN_MS = 25_000;
const STOPPED_WITHIN_MS = 8_000;

export interface Siege {
  readonly home: Home;
  readonly service: Service;
  /** The process of the service. */
  readonly child: ChildProcess;
  /** With ada's certificate, from 127.0.0.1. */
  readonly reach: Reach;
}

export async function startSiege(settings: SetUp['settings']): Promise<Siege> {
  const limits = { stopTimeout: '3s', queueMilliseconds: 60, ...settings?.limits };
  const home = await populatedHome({ log: { level: 'warn' }, settings: { ...settings, limits } });
  const service = await Service.start(entryOf(home));
  const { port, child } = service;
  const reach = { port, ca: home.authority.pem, certificate: home.authority.issue({ commonName: 'ada' }) };
  return { home, service, child, reach };
}

/** Physical memory of the service in MiB. */
export function residentMiB({ child }: { readonly child: Pick<ChildProcess, 'pid'> }): number {
  const [, kib] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8')) ?? [];
  return Number(kib) / 1024;
}

/** Sockets that the service has open. */
export function openSockets({ child }: Pick<Siege, 'child'>): number {
  const folder = `/proc/${child.pid}/fd`;
  return readdirSync(folder).filter((file) => linkOf(join(folder, file)).startsWith('socket:')).length;
}

function linkOf(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return ''; // closed meanwhile
  }
}

const TICK_MS = 10;

/** CPU time of the service, in milliseconds. */
export function cpuMs({ child }: Pick<Siege, 'child'>): number {
  const fields = readFileSync(`/proc/${child.pid}/stat`, 'utf8')
    .replace(/^.*\) /, '')
    .split(' ');
  return (Number(fields[11]) + Number(fields[12])) * TICK_MS;
}

/** Grants acknowledged before the attack, to be used after it. */
export async function acknowledged(reach: Reach, count = 20): Promise<Pair[]> {
  const caller = callerOver('HTTP/1.1', reach);
  const pairs: Pair[] = [];
  while (pairs.length < count) pairs.push(await pairByCertificate(caller));
  caller.close();
  return pairs;
}

/** One request on its own connection; undefined if there was no answer in time. */
async function askOnce(reach: Reach, path: string, milliseconds = 3000): Promise<Answer | undefined> {
  const caller = callerOver('HTTP/1.1', reach);
  const answer = await Promise.race([caller.ask({ path }).catch(() => undefined), pause(milliseconds, undefined)]);
  caller.close();
  return answer;
}

/** The value of a metric without labels. */
export async function metricOf(reach: Reach, name: string): Promise<number | undefined> {
  const text = (await askOnce(reach, '/metrics'))?.text ?? '';
  const [, value] = new RegExp(`^${name} (\\S+)$`, 'm').exec(text) ?? [];
  return value === undefined ? undefined : Number(value);
}

/** What must hold after every attack. Stops the service; returns the broken promises. */
export async function aftermath(siege: Siege, pairs: readonly Pair[], memoryBefore: number): Promise<string[]> {
  const broken = [...(await lostGrants(siege, pairs)), ...(await heldPlaces(siege))];
  const memory = await settledMiB(siege, memoryBefore * MOST_MEMORY);
  console.log(`memory: ${memoryBefore.toFixed(0)} MiB before, ${memory.toFixed(0)} MiB after`);
  if (memory > memoryBefore * MOST_MEMORY) broken.push(`memory stayed at ${(memory / memoryBefore).toFixed(2)} ×`);
  broken.push(...(await stopped(siege)));
  for (const what of broken) console.error(`broken: ${what}`);
  return broken;
}

async function lostGrants({ reach }: Siege, pairs: readonly Pair[]): Promise<string[]> {
  const caller = callerOver('HTTP/1.1', reach);
  const lost: string[] = [];
  for (const pair of pairs) {
    const answer = await insist(() => refresh(caller, pair.refresh_token));
    if (answer?.status !== 200) lost.push(`${answer?.status} ${answer?.text}`);
  }
  caller.close();
  console.log(`${pairs.length - lost.length} of ${pairs.length} acknowledged grants work`);
  return lost.length ? [`${lost.length} acknowledged grants do not work: ${lost[0]}`] : [];
}

/** Retries after 503, as Retry-After says. */
async function insist(ask: () => Promise<Answer>): Promise<Answer | undefined> {
  for (let tries = 0; tries < 5; tries++) {
    const answer = await ask().catch(() => undefined);
    if (answer && ![429, 503].includes(answer.status)) return answer;
    await pause(Number(answer?.headers['retry-after'] ?? 1) * 1000);
  }
  return undefined;
}

/** What callers hold who have gone. */
export async function heldPlaces({ reach }: Pick<Siege, 'reach'>): Promise<string[]> {
  const held = await settledMetric(reach, 'tessera_requests_in_flight');
  const orphaned = await metricOf(reach, 'tessera_slots_orphaned');
  console.log(`slots: ${held} held, ${orphaned} orphaned`);
  return held === 0 && orphaned === 0 ? [] : [`slots: ${held} held, ${orphaned} orphaned, nobody is connected`];
}

async function settledMetric(reach: Reach, name: string): Promise<number | undefined> {
  for (let tries = 0; tries < 20; tries++) {
    if ((await metricOf(reach, name)) === 0) return 0;
    await pause(100);
  }
  return metricOf(reach, name);
}

async function settledMiB(siege: Siege, enough: number): Promise<number> {
  const end = performance.now() + SETTLED_WITHIN_MS;
  while (residentMiB(siege) > enough && performance.now() < end) await pause(200);
  return residentMiB(siege);
}

async function stopped({ service, home }: Siege): Promise<string[]> {
  const { code, signal, tookMs } = await service.stop('SIGTERM', STOPPED_WITHIN_MS);
  rmSync(home.folder, { recursive: true, force: true });
  const faults = service.faults();
  console.log(`stop: exit code ${code} after ${tookMs} ms, ${faults.length} faults logged`);
  const wrongEnd = code === 0 ? [] : [`the stop ended with code ${code}, signal ${signal}`];
  return faults.length ? [...wrongEnd, `faults in the log: ${faults.slice(0, 3).join(' | ')}`] : wrongEnd;
}
