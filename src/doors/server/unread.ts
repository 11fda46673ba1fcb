import type { Socket } from 'node:net';

/** Of a connection whose caller reads, less than this waits for the kernel most of the time. */
const BYTES = 16 * 1024;

/** Whether much waits for the kernel to take it. What an HTTP/2 session has written, Node counts only below the socket. */
export function isUnread(socket: Socket): boolean {
  const { _handle: handle } = socket as unknown as { readonly _handle?: { readonly writeQueueSize?: number } | null };
  return (handle?.writeQueueSize ?? 0) > BYTES;
}
