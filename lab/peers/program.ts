// Peers that are not Node programs: installing them once, starting and stopping them.
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import {
  createReadStream,
  createWriteStream,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
} from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { CORES } from '../bench/pinned.ts';
import { treeOf } from '../bench/probe/processes.ts';
import { ROOT } from '../deploy/shell.ts';

const CACHE = join(ROOT, 'node_modules/.cache/peers');
/** A build on a busy machine. */
const MOST_MS = 1_800_000;
const START_MS = 600_000;
const STOP_MS = 10_000;

/** A folder that `make` fills once. One that was interrupted begins again. */
export async function installed(name: string, make: (folder: string) => Promise<void>): Promise<string> {
  const folder = join(CACHE, name);
  if (existsSync(folder)) return folder;
  const unfinished = `${folder}.${process.pid}`;
  mkdirSync(unfinished, { recursive: true });
  await make(unfinished);
  renameSync(unfinished, folder);
  return folder;
}

/** Output of a command; throws with the end of what it printed. */
export async function output(command: readonly string[], cwd: string, env: NodeJS.ProcessEnv = {}): Promise<string> {
  const [file = '', ...args] = command;
  try {
    const options = { cwd, timeout: MOST_MS, maxBuffer: 1 << 26, env: { ...process.env, ...env } };
    return (await promisify(execFile)(file, args, options)).stdout;
  } catch (error) {
    const { message, stderr = '' } = error as Error & { stderr?: string };
    throw new Error(stderr === '' ? message : `${file}: ${stderr.slice(-400).trim()}`);
  }
}

export async function download(url: string, sha256: string, path: string): Promise<void> {
  const response = await fetch(url, { signal: AbortSignal.timeout(600_000) });
  if (!response.ok || !response.body) throw new Error(`${url}: ${response.status}`);
  await pipeline(Readable.fromWeb(response.body), createWriteStream(path));
  const hash = createHash('sha256');
  await pipeline(createReadStream(path), hash);
  if (hash.digest('hex') !== sha256) throw new Error(`${url} is not the file that was expected`);
}

export interface Program {
  readonly pid: number;
  /** Resolves when the address answers with success. */
  ready(url: string): Promise<void>;
  stop(): Promise<void>;
}

/** On the server's core, its output in a file of its folder. */
export function startProgram(command: readonly string[], folder: string, env: Record<string, string>): Program {
  const log = join(folder, 'log');
  const file = openSync(log, 'a');
  const pinned = CORES.server === undefined ? command : ['taskset', '-c', String(CORES.server), ...command];
  const options = { cwd: folder, env: { ...process.env, ...env }, stdio: ['ignore', file, file] as const };
  const child = spawn(pinned[0] as string, pinned.slice(1), { ...options, stdio: [...options.stdio] });
  const endWithUs = () => void child.kill('SIGKILL');
  process.once('exit', endWithUs);
  return {
    pid: child.pid as number,
    ready: (url) => answers(url, child, log),
    stop: async () => {
      process.off('exit', endWithUs);
      await ended(child);
    },
  };
}

async function answers(url: string, child: ChildProcess, log: string): Promise<void> {
  for (const end = Date.now() + START_MS; Date.now() < end; await sleep(200)) {
    if (child.exitCode !== null) break;
    const isReady = await fetch(url, { signal: AbortSignal.timeout(2000) }).then(
      (response) => response.ok,
      () => false,
    );
    if (isReady) return;
  }
  throw new Error(`${url} does not answer. Its log ends:\n${readFileSync(log, 'utf8').slice(-1500)}`);
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exit = once(child, 'exit');
  const tree = treeOf(child.pid as number);
  child.kill();
  const timer = setTimeout(() => tree.forEach(kill), STOP_MS);
  await exit;
  clearTimeout(timer);
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended.
  }
}
