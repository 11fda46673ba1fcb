// The memory that an open, idle TLS connection takes in the service: private resident memory at three numbers of connections, read after
// the idle process has collected its garbage. Buffers of the kernel are not included.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import { writeCertificates } from '../bench/certificates.ts';
import { tessera } from '../bench/contestants/tessera.ts';
import type { ClientTls } from '../bench/generator/generator.ts';
import type { IdleCaller, IdleProtocol } from './idle-connections.ts';
import { figuresFolder, table } from './measure.ts';

const KINDS: Readonly<Record<string, { readonly protocol: IdleProtocol; readonly withCertificate: boolean }>> = {
  'HTTP/1.1': { protocol: 'http/1.1', withCertificate: false },
  'HTTP/1.1, client certificate': { protocol: 'http/1.1', withCertificate: true },
  'HTTP/2, client certificate': { protocol: 'h2', withCertificate: true },
};
/** Longer than the service takes to see that it is idle and to collect (src/serve/give-back.ts). */
const SETTLE_MS = 25_000;
const ENTRY = join(import.meta.dirname, 'idle-connections.ts');

/** `connections`: the larger number; half of it is the smaller. */
export async function connectionFigures(connections: number): Promise<void> {
  const folder = figuresFolder();
  const tls = writeCertificates(folder);
  try {
    const rows = await Promise.all(Object.keys(KINDS).map((name) => measured(name, connections, folder, tls)));
    table(rows);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

async function measured(name: string, most: number, folder: string, tls: ClientTls) {
  const own = join(folder, name.replaceAll(/[^a-z0-9]/gi, ''));
  mkdirSync(own);
  const sets = [
    'idleTimeout=1h',
    'queueMilliseconds=60000',
    'addressShare=100',
    'networkShare=100',
    `connections=${2 * most}`,
  ];
  const running = await tessera({
    ...{ folder: own, certificates: folder, tls, filling: { known: 1 }, unpinned: true },
    sets: sets.map((each) => `limits.${each}`),
    nodeFlags: ['--max-semi-space-size=16'],
  }).start();
  const port = running.load('certificate', 1)?.port;
  const callers = new Callers({ port, tls, ...KINDS[name] } as IdleCaller);
  try {
    const bytes: number[] = [];
    for (const count of [most / 10, most / 2, most]) {
      await callers.open(count);
      await pause(SETTLE_MS);
      bytes.push(privateBytes(running.pids[0] as number));
    }
    const [few = 0, half = 0, all = 0] = bytes;
    return {
      connection: name,
      [`MB with ${most / 10}`]: few / 1e6,
      [`MB with ${most / 2}`]: half / 1e6,
      [`MB with ${most}`]: all / 1e6,
      'KB each, first half': (half - few) / (most * 0.4) / 1000,
      'KB each, second half': (all - half) / (most * 0.5) / 1000,
    };
  } finally {
    callers.stop();
    await running.stop();
  }
}

/** A process that holds connections open. */
class Callers {
  readonly #child: ChildProcess;
  readonly #lines: AsyncIterator<string>;

  constructor(caller: IdleCaller) {
    this.#child = spawn(process.execPath, [ENTRY, JSON.stringify(caller)], { stdio: ['pipe', 'pipe', 'inherit'] });
    this.#lines = createInterface({ input: this.#child.stdout as NodeJS.ReadableStream })[Symbol.asyncIterator]();
  }

  /** So many in all. Throws if one was refused. */
  async open(count: number): Promise<void> {
    this.#child.stdin?.write(`${count}\n`);
    const { value } = await Promise.race([
      this.#lines.next(),
      once(this.#child, 'exit').then(() => ({ value: 'it ended' })),
    ]);
    if (value !== `open ${count}`) throw new Error(`${count} connections: ${value}`);
  }

  stop(): void {
    this.#child.kill();
  }
}

/** Without the code of Node, which all Node processes of a machine share. */
function privateBytes(pid: number): number {
  const [, kilobytes] = /^RssAnon:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  if (!kilobytes) throw new Error(`process ${pid} has no RssAnon`);
  return Number(kilobytes) * 1024;
}
