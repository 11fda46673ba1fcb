// A service with the default limits, bare or behind a proxy, and grants to use there.
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { connect } from 'node:tls';
import { loadConfig } from '../../../src/config/load.ts';
import { tlsOptionsOf } from '../../../test/e2e/caller.ts';
import { KINDS, type RunningProxy, startProxy } from '../../../test/e2e/proxies/proxy.ts';
import { type Home, populatedHome } from '../../../test/e2e/service.ts';
import type { Pair } from '../../../test/e2e/steps.ts';
import { temporaryFolder } from '../../../test/temporary-folder.ts';
import { entryOf, Service } from '../service.ts';
import { acknowledged } from '../siege.ts';
import type { Target } from './generator.ts';

const THROUGH = ['bare', 'caddy', 'nginx', 'haproxy'] as const;
type Through = (typeof THROUGH)[number];

const FOLDERS_OF_PROGRAMS = [...(process.env['PATH'] ?? '').split(':'), '/usr/sbin'];
const CALLERS = 8;

/** A data folder with grants, from which services are started: each gets a copy. */
export interface Stock {
  readonly home: Home;
  readonly pairs: readonly Pair[];
}

export interface Front extends Target {
  readonly through: Through;
  readonly stock: Stock;
  readonly child: ChildProcess;
  readonly limits: Home['config']['limits'];
  readonly speaksHttp2: boolean;
  stop(): Promise<void>;
}

export async function stockOf(count: number): Promise<Stock> {
  const home = await populatedHome({ log: { level: 'warn' } });
  const service = await Service.start(entryOf(home));
  const reach = {
    port: service.port,
    ca: home.authority.pem,
    certificate: home.authority.issue({ commonName: 'ada' }),
  };
  const pairs = await Promise.all(Array.from({ length: CALLERS }, () => acknowledged(reach, count / CALLERS)));
  await service.stop();
  return { home, pairs: pairs.flat() };
}

/** All of them, if none is named. */
export function throughOf(name: string | undefined): readonly Through[] {
  const chosen = THROUGH.filter((each) => name === undefined || name === each);
  if (chosen.length === 0) throw new Error(`--through takes one of: ${THROUGH.join(', ')}`);
  return chosen;
}

export function isInstalled(through: Through): boolean {
  return through === 'bare' || FOLDERS_OF_PROGRAMS.some((folder) => existsSync(join(folder, through)));
}

export async function startFront(stock: Stock, through: Through): Promise<Front> {
  const { home } = stock;
  const configFile = copied(home, through);
  const { limits } = loadConfig({ file: configFile, env: {} });
  const service = await Service.start(entryOf({ configFile }));
  const { child, port } = service;
  const proxy = through === 'bare' ? undefined : await proxyBefore(through, home, port);
  const reach = { port: proxy?.port ?? port, ca: home.authority.pem };
  return {
    ...{ through, stock, child, limits, pid: child.pid as number, ...reach },
    speaksHttp2: await speaksHttp2(reach),
    stop: async () => {
      await proxy?.stop();
      await service.kill();
    },
  };
}

/** Of the service, a proxy needs these parts only. */
function proxyBefore(name: Exclude<Through, 'bare'>, home: Home, port: number): Promise<RunningProxy> {
  return startProxy(name, { ...home, port, nodes: [port] } as unknown as Parameters<typeof startProxy>[1]);
}

/** A copy of the data folder, with a listener for this front and the default limits. */
function copied(home: Home, through: Through): string {
  const dataFolder = temporaryFolder('crowds');
  cpSync(home.folder, dataFolder, { recursive: true });
  const { limits: _, ...tree } = JSON.parse(readFileSync(home.configFile, 'utf8'));
  const listener = { ...tree.listeners[0] };
  if (through !== 'bare') {
    delete listener.tls;
    tree.proxies = { addresses: ['127.0.0.1'], clientCertificateHeader: KINDS[through].header };
  }
  const configFile = join(dataFolder, 'tessera.yaml');
  writeFileSync(configFile, JSON.stringify({ ...tree, dataFolder, listeners: [listener] }));
  return configFile;
}

async function speaksHttp2(reach: { readonly port: number; readonly ca: string }): Promise<boolean> {
  const socket = connect({ ...tlsOptionsOf(reach), ALPNProtocols: ['h2', 'http/1.1'] });
  await once(socket, 'secureConnect');
  socket.destroy();
  return socket.alpnProtocol === 'h2';
}
