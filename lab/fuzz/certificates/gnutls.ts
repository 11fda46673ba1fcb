// A second opinion: GnuTLS in a long-running process.
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

export interface SecondOpinion {
  /** `good`, or the reasons. */
  ask(root: Uint8Array, chain: readonly Uint8Array[]): Promise<string>;
  close(): void;
}

export function startGnutls(): SecondOpinion {
  const child = spawn('/usr/bin/python3', [join(import.meta.dirname, 'gnutls.py')], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const waiting: ((line: string) => void)[] = [];
  createInterface({ input: child.stdout }).on('line', (line) => waiting.shift()?.(line));
  child.once('exit', (code) => {
    for (const resolve of waiting) resolve(`GnuTLS ended with ${code}`);
  });
  return {
    ask: (root, chain) =>
      new Promise((resolve) => {
        waiting.push(resolve);
        child.stdin.write(Buffer.concat([number(chain.length + 1), ...[root, ...chain].map(framed)]));
      }),
    close: () => child.stdin.end(),
  };
}

function framed(octets: Uint8Array): Buffer {
  return Buffer.concat([number(octets.length), octets]);
}

function number(value: number): Buffer {
  const four = Buffer.alloc(4);
  four.writeUInt32BE(value);
  return four;
}
