// Runs an image with bwrap where containers cannot be started (a sandbox that forbids cgroups or limits): its unpacked root read-only,
// no capability, a foreign user, namespaces of its own, and the image's environment and entry point.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { run } from './shell.ts';

const FOREIGN_USER = 12345;

interface ImageConfig {
  readonly Env: readonly string[];
  readonly Entrypoint: readonly string[];
  readonly Cmd: readonly string[];
  readonly WorkingDir: string;
}

export interface Unpacked {
  readonly root: string;
  readonly config: ImageConfig;
  /** Its one volume, on this machine. Without it: in memory. */
  readonly volume?: string;
  /** Files of this machine that the container sees, read-only, by their place in it. */
  readonly files: Readonly<Record<string, string>>;
  /** Variables beside those of the image. */
  readonly variables?: Readonly<Record<string, string>>;
  /** A network of `ip netns`. Without it: one of its own, with nothing but loopback. */
  readonly network?: string;
}

export function ownVolume(volume: string): void {
  mkdirSync(volume, { recursive: true, mode: 0o700 });
  for (const path of [volume, ...readdirSync(volume).map((name) => join(volume, name))])
    chownSync(path, FOREIGN_USER, FOREIGN_USER);
}

/** Runs the image's command line to its end. */
export function runUnpacked(image: Unpacked, args: readonly string[]): string {
  const [program = '', ...rest] = commandLine(image, args);
  return run(program, rest);
}

export interface RunningBox {
  /** Of the process in the box, as this machine numbers it. */
  readonly pid: number;
  readonly child: ChildProcess;
  readonly startedMs: number;
}

/** Resolves when the service says that it is ready. */
export async function startUnpacked(image: Unpacked): Promise<RunningBox> {
  const began = performance.now();
  const [program = '', ...args] = commandLine(image, image.config.Cmd);
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const ready = new Promise<void>((resolve) => {
    createInterface({ input: child.stdout }).on('line', (line) => line.includes('"msg":"ready"') && resolve());
  });
  await Promise.race([ready, once(child, 'exit').then(([code]) => Promise.reject(new Error(`it ended with ${code}`)))]);
  return { pid: innermost(child.pid ?? 0), child, startedMs: performance.now() - began };
}

/** The foreign user comes first: bwrap then works as it would for anybody, in a user namespace. */
function commandLine(image: Unpacked, args: readonly string[]): string[] {
  const { root, config, volume, files, network } = image;
  const user = String(FOREIGN_USER);
  const binds = Object.entries(files).flatMap(([inside, path]) => ['--ro-bind', path, inside]);
  const data = volume === undefined ? ['--tmpfs', '/var/lib/tessera'] : ['--bind', volume, '/var/lib/tessera'];
  return [
    ...(network === undefined ? [] : ['ip', 'netns', 'exec', network]),
    ...[
      'setpriv',
      '--reuid',
      user,
      '--regid',
      user,
      '--clear-groups',
      '--no-new-privs',
      '--',
      'bwrap',
      '--unshare-all',
    ],
    ...(network === undefined ? [] : ['--share-net']),
    ...['--die-with-parent', '--cap-drop', 'ALL', '--clearenv', ...variablesOf(image), '--ro-bind', root, '/'],
    ...['--proc', '/proc', '--dev', '/dev', '--tmpfs', '/tmp', ...data, ...binds],
    ...['--chdir', config.WorkingDir, '--', ...config.Entrypoint, ...args],
  ];
}

function variablesOf({ config, variables = {} }: Unpacked): string[] {
  const ofImage = config.Env.map((pair) => [pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1)]);
  return Object.entries({ ...Object.fromEntries(ofImage), ...variables }).flatMap(([name, value]) => [
    '--setenv',
    name,
    String(value),
  ]);
}

/** bwrap has one child, which is process 1 of the box, which has one. */
function innermost(pid: number): number {
  const [child] = run('sh', ['-c', `cat /proc/${pid}/task/${pid}/children`])
    .trim()
    .split(' ');
  return child ? innermost(Number(child)) : pid;
}
