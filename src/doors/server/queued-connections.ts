// Empties the kernel's queue of new connections before a listener is closed: closing it resets those that still wait there.
//
// libuv accepts one connection in each turn of the event loop, so a queue of fifty takes fifty turns, and more keep coming.
// On Linux the kernel ignores new connections while the queue is full, and their callers repeat the first packet a second
// later. So we make the queue short and fill it with connections to ourselves. When all places are ours, nobody else waits,
// and nobody can enter before the listener is closed.
import { readFileSync } from 'node:fs';
import { type AddressInfo, connect, type Server, type Socket } from 'node:net';
import { setImmediate, setTimeout } from 'node:timers/promises';

/** From then on the queue is short: while callers connect without a pause, a long one would never be empty. */
const LONG_MS = 200;
/** With fewer places, the kernel logs a SYN flood. */
const PLACES = 8;
/** A connection that found the queue full enters when its caller repeats a packet, after a fifth of a second. */
const PAUSE_MS = 20;

/** Internal parts of Node. Without them, the listener is closed after a turn in which nobody connected. */
interface Handle {
  listen?(backlog: number): number;
  /** Returns 0 if the connection is established; the public properties say so only in the next turn. */
  getpeername?(into: object): number;
}

/**
 * Resolves when no connection waits. The caller must then close the listener at once, in the same turn.
 * `isShared`: other sockets listen on the same port, so a connection to ourselves could reach them instead. `patienceMs`: it resolves
 * after this time, whoever still connects.
 */
export async function emptyQueue(server: Server, isShared: boolean, patienceMs: number): Promise<void> {
  const began = performance.now();
  const canFill = server.listening && !isShared && process.platform === 'linux';
  let isShort = false;
  for (let passed = 0; passed < patienceMs; passed = performance.now() - began) {
    const isBusy = await turnWithConnection(server);
    if (isBusy && passed < LONG_MS) continue;
    if (!isBusy && !canFill) return;
    isShort ||= shortenQueue(server);
    if (isBusy) continue;
    if (!isShort || (await fillQueue(server))) return;
    await setTimeout(PAUSE_MS);
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

function shortenQueue(server: Server): boolean {
  // The kernel allows one more than it is told.
  return handleOf(server)?.listen?.(PLACES - 1) === 0;
}

/** Whether all places of the queue are taken by connections to ourselves, which end when the listener is closed. */
async function fillQueue(server: Server): Promise<boolean> {
  const { address, port } = server.address() as AddressInfo;
  const host = address === '0.0.0.0' ? '127.0.0.1' : address === '::' ? '::1' : address;
  const own = Array.from({ length: PLACES }, () => connect({ host, port }).on('error', () => undefined));
  // Node opens them at the end of this tick; on loopback they are established when that call returns.
  await new Promise<void>((resolve) => process.nextTick(resolve));
  const isFull = own.every((socket) => handleOf(socket)?.getpeername?.({}) === 0) && !isAnyHalfOpen(port);
  if (!isFull) for (const socket of own) socket.destroy();
  return isFull;
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

function handleOf(owner: Server | Socket): Handle | null | undefined {
  return (owner as unknown as { _handle?: Handle | null })._handle;
}
