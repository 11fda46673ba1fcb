// The quick start of a checkout, as a process of its own.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, readFileSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { readPem } from '../../src/pki/der/pem.ts';
import { type Reach, sendRaw } from '../../test/e2e/caller.ts';
import { freePort } from '../../test/free-port.ts';
import { temporaryFolder } from '../../test/temporary-folder.ts';

const READY_WITHIN_MS = 60_000;

export interface Checkout {
  /** A data folder as it was before the first start, for another checkout. */
  readonly untouched: string;
  send(request: string, withCertificate: boolean): Promise<string>;
  stop(): Promise<void>;
}

/** Serves a new data folder, or a copy of the one that another checkout began with: the same keys and certificates. */
export async function startCheckout(folder: string, like?: Checkout): Promise<Checkout> {
  const entry = join(resolve(folder), 'src', 'cli', 'main.ts');
  if (!existsSync(entry)) throw new Error(`${folder} is not a checkout`);
  if (!existsSync(join(folder, 'node_modules'))) throw new Error(`${folder} has no packages: run npm ci there`);
  const home = temporaryFolder('conformance');
  const [data, untouched] = [join(home, 'data'), join(home, 'untouched')];
  if (like) cpSync(like.untouched, data, { recursive: true });
  else await makeFolder(entry, data);
  cpSync(data, untouched, { recursive: true });
  const { child, port } = await serve(entry, data);
  const certificate = { chain: readPem(read(data, 'client.crt'), 'CERTIFICATE'), key: read(data, 'client.key') };
  const reach: Reach = { port, ca: read(data, 'authority.crt') };
  return {
    untouched,
    send: (request, withCertificate) => sendRaw(withCertificate ? { ...reach, certificate } : reach, request),
    stop: async () => {
      await end(child);
      rmSync(home, { recursive: true, force: true });
    },
  };
}

async function makeFolder(entry: string, data: string): Promise<void> {
  const { child } = await serve(entry, data);
  await end(child);
}

async function serve(entry: string, data: string): Promise<{ child: ChildProcess; port: number }> {
  const port = await freePort();
  const settings = [
    `dataFolder=${data}`,
    `listeners.0.port=${port}`,
    'publicUrl=https://localhost:8443',
    'limits.requestsPerAddress.perMinute=1000000',
    'limits.requestsPerAddress.burst=1000000',
  ];
  const args = [entry, 'quickstart', ...settings.flatMap((setting) => ['--set', setting])];
  // In an empty folder: the quick start refuses one that has a configuration file.
  const child = spawn(process.execPath, args, { cwd: temporaryFolder('empty'), stdio: ['ignore', 'pipe', 'inherit'] });
  await Promise.race([
    ready(child),
    once(child, 'exit').then(() => failed(entry)),
    pause(READY_WITHIN_MS).then(() => failed(entry)),
  ]);
  return { child, port };
}

async function ready(child: ChildProcess): Promise<void> {
  let printed = '';
  await new Promise<void>((done) => {
    child.stdout?.on('data', (text: Buffer) => {
      printed += text.toString();
      if (/\binfo +ready\b/.test(printed)) done();
    });
  });
}

function failed(entry: string): never {
  throw new Error(`${entry} does not start`);
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return;
  child.kill('SIGTERM');
  await once(child, 'exit');
}

function read(folder: string, name: string): string {
  return readFileSync(join(folder, name), 'utf8');
}
