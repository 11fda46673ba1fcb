// Empties the kernel's queue of new connections before a listener is closed: closing it resets those that still wait there.
//
// libuv accepts one connection in each turn of the event loop, so a queue of fifty takes fifty turns, and more would keep coming. So the
// kernel ignores further callers, who repeat their first packet a second later, and we wait for those that it has replied to.
import { readFileSync } from 'node:fs';
import type { AddressInfo, Server } from 'node:net';
import { endianness } from 'node:os';
import { setImmediate, setTimeout } from 'node:timers/promises';
import { pointerTo, setOptions } from './call-c.ts';

/** For the next packet of a caller that the kernel has replied to. */
const PAUSE_MS = 20;

/**
 * Resolves when no connection waits. The caller must then close the listener at once, in the same turn.
 * `isShared`: other sockets listen on the same port, so nobody needs to wait for this one to close. `patienceMs`: it resolves after this
 * time, whoever still connects. Where callers cannot be ignored, it resolves after a turn in which nobody connected.
 */
export async function emptyQueue(server: Server, isShared: boolean, patienceMs: number): Promise<void> {
  const end = performance.now() + patienceMs;
  const { port } = (server.address() as AddressInfo | null) ?? {};
  const ignores = port !== undefined && !isShared && ignoreNewcomers(server);
  while (performance.now() < end) {
    if (await turnWithConnection(server)) continue;
    if (!ignores) return;
    if (isAnyHalfOpen(port)) await setTimeout(PAUSE_MS);
    else if (!(await turnWithConnection(server))) return;
  }
}

/** Whether a connection was accepted in the next turn of the event loop. */
async function turnWithConnection(server: Server): Promise<boolean> {
  let hasConnection = false;
  const notice = () => {
    hasConnection = true;
  };
  server.on('connection', notice).on('drop', notice);
  await setImmediate(); // the end of the turn that we are in
  await setImmediate(); // after the next look at all sockets
  server.off('connection', notice).off('drop', notice);
  return hasConnection;
}

const SOL_SOCKET = 1;
const SO_ATTACH_FILTER = 26;
/**
 * A program for the kernel's packet filter (https://docs.kernel.org/networking/filter.html), which sees the TCP header: packets with the
 * flag SYN are dropped, and others taken. Each instruction: code, where to go if true and if false, operand.
 */
const DROP_SYN = [
  [0x30, 0, 0, 13], // load the byte with the flags
  [0x45, 0, 1, 0x02], // has it SYN?
  [0x06, 0, 0, 0], // take 0 bytes
  [0x06, 0, 0, 0xffff_ffff], // take all
] as const;

/** From now on, the kernel does not reply to the first packet of a caller. Returns false where this is not possible. */
function ignoreNewcomers(server: Server): boolean {
  if (endianness() !== 'LE') return false;
  const program = Buffer.alloc(8 * DROP_SYN.length);
  for (const [at, [code, ifTrue, ifFalse, operand]] of DROP_SYN.entries()) {
    program.writeUInt16LE(code, 8 * at);
    program.set([ifTrue, ifFalse], 8 * at + 2);
    program.writeUInt32LE(operand, 8 * at + 4);
  }
  const length = Buffer.alloc(8);
  length.writeUInt16LE(DROP_SYN.length);
  return setOptions(server, [[SOL_SOCKET, SO_ATTACH_FILTER, Buffer.concat([length, pointerTo(program)])]]);
}

/** Whether a caller of this port is about to enter the queue: the kernel replied to its first packet, and waits for the next. */
function isAnyHalfOpen(port: number): boolean {
  const halfOpen = new RegExp(`^ *\\d+: [0-9A-F]+:${hexOf(port)} [0-9A-F]+:[0-9A-F]+ 03 `, 'm');
  return ['/proc/self/net/tcp', '/proc/self/net/tcp6'].some((file) => halfOpen.test(textOf(file)));
}

function hexOf(port: number): string {
  return port.toString(16).toUpperCase().padStart(4, '0');
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'latin1');
  } catch {
    return ''; // hidden from this process, or without IPv6
  }
}
