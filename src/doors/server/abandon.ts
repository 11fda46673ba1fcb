// Ends a connection whose caller does not read. Closing it would leave what was not read in the kernel for minutes, in no limit of ours.
import { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';

/** Drops what was not sent. Node resets plain sockets only; the one under TLS has no public name. */
export function abandon(socket: Socket): void {
  if (socket.destroyed) return;
  const plain = socket instanceof TLSSocket ? (socket as { _parent?: unknown })._parent : socket;
  if (plain instanceof Socket) plain.resetAndDestroy();
  socket.destroy();
}
