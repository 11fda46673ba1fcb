// Bounds what the kernel keeps of answers that callers do not read. By itself it takes 2 MB for a connection, and keeps them for minutes
// after the connection was closed, in no limit of ours. What it does not take stays in the process, where such a request holds its
// place, and ends in time.
import type { Server } from 'node:net';
import { setOptions } from './call-c.ts';

/** The largest page just fits. The kernel allows twice as much, for its own data too. */
const SEND_BUFFER = 64 * 1024;

// As on every Linux that Node supports.
const SOL_SOCKET = 1;
const SO_SNDBUF = 7;
const IPPROTO_TCP = 6;
const TCP_USER_TIMEOUT = 18;

/**
 * Connections inherit both from their listener: how much the kernel takes, and that a connection ends, closed or not, if its caller
 * accepts nothing of it for this time. Returns false where this is not possible: not on Linux, or Node cannot call C (before 26).
 */
export function boundUnread(server: Server, timeoutMs: number): boolean {
  return setOptions(server, [
    [SOL_SOCKET, SO_SNDBUF, SEND_BUFFER],
    [IPPROTO_TCP, TCP_USER_TIMEOUT, timeoutMs],
  ]);
}
