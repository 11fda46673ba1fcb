import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { loadConfig } from '../../../src/config/load.ts';
import type { Config } from '../../../src/config/schema.ts';
import { PostgresServer } from '../../../test/store/postgres-server.ts';
import { type Contestant, isSecure, type LoadKind, type Running } from '../contestant.ts';
import { CLIENT_ID, type Filling, fill, RESOURCE_SERVER_ID, SCOPE, type Seeds } from '../fill.ts';
import type { ClientTls, Load } from '../generator/generator.ts';
import { type ChainForm, getHead, post, postHead, type WalkSpec } from '../generator/walk.ts';
import { CORES, pin, startPinned } from '../pinned.ts';
import { childrenOf } from '../probe/processes.ts';
import { freePorts, readyAfter } from '../ready.ts';

export interface TesseraOptions {
  /** A folder of its own: store, keyring and log. */
  readonly folder: string;
  /** Where the certificates are. */
  readonly certificates: string;
  readonly tls: ClientTls;
  readonly filling: Filling;
  readonly workers?: 1 | 2;
  /** On all cores. */
  readonly unpinned?: boolean;
  /** With its own PostgreSQL, as durable as SQLite. It runs beside the generator, as if on another machine. */
  readonly postgres?: boolean;
  readonly nodeFlags?: readonly string[];
  /** A command that starts the server instead, for counting its system calls. */
  readonly under?: readonly string[];
}

export interface RunningTessera extends Running {
  readonly config: Config;
  /** The settings of the configuration, as for `--set`. */
  readonly sets: readonly string[];
}

export interface TesseraContestant extends Contestant {
  start(): Promise<RunningTessera>;
}

const ENTRY = fileURLToPath(new URL('../servers/tessera.ts', import.meta.url));

export function tessera(options: TesseraOptions): TesseraContestant {
  return { start: () => start(options) };
}

async function start(options: TesseraOptions): Promise<RunningTessera> {
  const { folder, tls, filling, workers = 1 } = options;
  const [port = 0, tlsPort = 0] = await freePorts(2);
  const postgres = options.postgres ? await startPostgres() : undefined;
  const sets = [...benchSets(options, port, tlsPort), ...(postgres ? [`store=${postgres.url()}`] : [])];
  const config = loadConfig({ env: {}, sets });
  const seeds = await fill(config, tls.authority, filling);
  const began = performance.now();
  const child = startServer(options, [String(workers), ...sets]);
  await readyAfter(port, '/readyz', began);
  if (workers > 1) await sleep(OTHERS_READY_MS); // one of them has answered
  return {
    config,
    sets,
    pids: [child.pid as number, ...(postgres?.pid ? [postgres.pid] : [])],
    load: (kind, connections) => loadOf(kind, connections, seeds, { port, tlsPort, tls }),
    stop: async () => {
      const exit = once(child, 'exit');
      const [served] = options.under ? childrenOf(child.pid as number) : [child.pid];
      process.kill(served as number, 'SIGTERM');
      const timer = setTimeout(() => process.kill(served as number, 'SIGKILL'), STOP_PATIENCE_MS);
      await exit;
      clearTimeout(timer);
      await postgres?.remove();
    },
  };

  function startServer({ nodeFlags = [] }: TesseraOptions, args: readonly string[]): ChildProcess {
    // The log is on, one line per request, into a file as under a supervisor.
    const log = openSync(join(folder, 'log.jsonl'), 'a');
    const server = startPinned(ENTRY, args, {
      core: options.unpinned ? undefined : CORES.server,
      nodeFlags,
      ...(options.under && { under: options.under }),
      cwd: folder,
      stdio: ['ignore', log, 'inherit'],
    });
    closeSync(log);
    return server;
  }
}

export async function startPostgres(): Promise<PostgresServer> {
  const server = await PostgresServer.start({ durable: true, settings: ['synchronous_commit = on'] });
  pin(server.pid as number, CORES.generator);
  return server;
}

/** One address and one identity send everything. */
export const RATES = [
  ...['requestsPerAddress', 'checksPerAddress', 'requestsPerIntegration'],
  ...['grantsPerIdentity', 'grantsPerIntegration', 'refreshesPerGrant', 'refreshesPerIdentity'],
];

/** Everything is on; only these limits are raised, for 64 connections from one address. */
export function benchSets(
  { folder, certificates }: Pick<TesseraOptions, 'folder' | 'certificates'>,
  port: number,
  tlsPort: number,
): string[] {
  const files = { certificate: join(certificates, 'server.crt'), key: join(certificates, 'server.key') };
  const listeners = [
    { host: '127.0.0.1', port },
    { host: '127.0.0.1', port: tlsPort, tls: files },
  ];
  return [
    `dataFolder=${folder}`,
    `listeners=${JSON.stringify(listeners)}`,
    ...RATES.flatMap((rate) => [`limits.${rate}.perMinute=1000000`, `limits.${rate}.burst=1000000`]),
    'device.codeLifetime=1h',
    'tokens.jwtLifetime=1h',
    'tokens.onReuse=report', // so that after the run each spent token is refused on its own, not because the grant ended
  ];
}

interface Doors {
  readonly port: number;
  readonly tlsPort: number;
  readonly tls: ClientTls;
}

const STOP_PATIENCE_MS = 10_000;
const OTHERS_READY_MS = 2_000;
const MOUNT = '/authsvc';
const JSON_TYPE = 'application/json';
export const REFRESH: ChainForm = {
  head: postHead(`${MOUNT}/Authorize/Token`, JSON_TYPE),
  before: `{"client_id":"${CLIENT_ID}","refresh_token":"`,
  after: '"}',
};
const FORM_TYPE = 'application/x-www-form-urlencoded';
const OAUTH_REFRESH: ChainForm = {
  head: postHead('/oauth2/token', FORM_TYPE),
  before: `client_id=${CLIENT_ID}&grant_type=refresh_token&refresh_token=`,
  after: '',
};
const CERTIFICATE: WalkSpec = {
  kind: 'same',
  request: post(`${MOUNT}/Authorize/Certificate`, JSON_TYPE, JSON.stringify({ client_id: CLIENT_ID, scope: SCOPE })),
  status: 200,
};
/** Of twenty requests: eight refreshes, eight checks, two certificates, a poll and a revocation. */
const MIXED_ORDER = [0, 1, 0, 1, 2, 0, 1, 0, 1, 3, 0, 1, 0, 1, 2, 0, 1, 0, 1, 4];

export function loadOf(kind: LoadKind, connections: number, seeds: Seeds, { port, tlsPort, tls }: Doors): Load {
  const walks = Array.from({ length: connections }, (_, index) => walkOf(kind, index, connections, seeds));
  return {
    walks,
    ...(isSecure(kind) ? { port: tlsPort, tls } : { port }),
    freshConnections: kind === 'certificate-fresh',
  };
}

/** Every kind and connection has its own grants: the first five shares of the seeds, then the rest to revoke. */
function walkOf(kind: LoadKind, index: number, connections: number, seeds: Seeds): WalkSpec {
  const seed = (share: number) => seeds.pairs[share * connections + index] ?? noSeed(kind);
  const rest = () => seeds.pairs.slice(5 * connections).filter((_, at) => at % connections === index);
  switch (kind) {
    case 'refresh':
      return { kind: 'chain', form: REFRESH, token: seed(0).refreshToken };
    case 'oauth-refresh':
      return { kind: 'chain', form: OAUTH_REFRESH, token: seed(4).refreshToken };
    case 'refresh-spread':
      return spread(rest().map(({ refreshToken: token }) => ({ kind: 'chain', form: REFRESH, token })));
    case 'certificate':
    case 'certificate-fresh':
      return CERTIFICATE;
    case 'verify':
      return { kind: 'same', request: verifyOf(seed(2).accessToken), status: 200 };
    case 'introspect':
      return {
        kind: 'same',
        request: introspectOf(seed(2).accessToken, seeds.secret),
        status: 200,
        includes: '"active":true',
      };
    case 'poll':
      return { kind: 'same', request: pollOf(seeds.deviceCodes[index] ?? ''), status: 400 };
    case 'revoke':
      return revokeOf(rest().filter((_, at) => at % 10 !== 0));
    case 'mixed':
      return {
        kind: 'mixed',
        order: MIXED_ORDER,
        walks: [
          { kind: 'chain', form: REFRESH, token: seed(3).refreshToken },
          walkOf('verify', index, connections, seeds),
          CERTIFICATE,
          walkOf('poll', index, connections, seeds),
          revokeOf(rest().filter((_, at) => at % 10 === 0)),
        ],
      };
  }
}

/** Interleaves these walks one request at a time, in an order unrelated to the position of their rows. */
function spread(walks: readonly WalkSpec[]): WalkSpec {
  const { length } = walks;
  const step = coprimeStep(length);
  return { kind: 'mixed', walks, order: walks.map((_, at) => (at * step) % length) };
}

/** A step size that visits each of `length` positions once. */
function coprimeStep(length: number): number {
  const divisor = (a: number, b: number): number => (b === 0 ? a : divisor(b, a % b));
  let step = Math.floor(length * 0.618) + 1;
  while (divisor(step, length) > 1) step++;
  return step;
}

function noSeed(kind: LoadKind): never {
  throw new Error(`too few grants were seeded for ${kind}`);
}

function verifyOf(accessToken: string): string {
  return `${getHead(`${MOUNT}/Authorize/Verify`)}${accessToken}\r\n\r\n`;
}

function introspectOf(token: string, client_secret: string): string {
  const fields = new URLSearchParams({ client_id: RESOURCE_SERVER_ID, client_secret, token });
  return post('/oauth2/introspect', FORM_TYPE, fields.toString());
}

function revokeOf(pairs: Seeds['pairs']): WalkSpec {
  return {
    kind: 'spend',
    head: getHead(`${MOUNT}/Revoke/Token`),
    tokens: pairs.map(({ accessToken }) => accessToken),
  };
}

function pollOf(deviceCode: string): string {
  const grantType = 'urn:ietf:params:oauth:grant-type:device_code';
  const body = { client_id: CLIENT_ID, grant_type: grantType, device_code: deviceCode };
  return post(`${MOUNT}/Authorize/Token`, JSON_TYPE, JSON.stringify(body));
}
