// A connection that speaks HTTP/2 by hand. It obeys no SETTINGS, and stays half open when the peer ends it.
import { once } from 'node:events';
import { connect as connectTcp } from 'node:net';
import { type ConnectionOptions, connect as connectTls, type TLSSocket } from 'node:tls';
import { type Reach, tlsOptionsOf } from './caller.ts';
import { FRAME, FrameReader, PREFACE, settingsFrame } from './http2-frames.ts';

export interface RawOptions {
  readonly localAddress?: string;
  readonly settings?: Parameters<typeof settingsFrame>[0];
  /** False: nothing is ever read from the socket. */
  readonly reads?: boolean;
}

export class RawHttp2 {
  readonly socket: TLSSocket;
  /** How many frames of each type have come. */
  readonly received = new Map<number, number>();
  /** The error code of the first GOAWAY: Node sends another one when it closes. */
  goAway: number | undefined;
  /** Whether the peer has ended or reset the connection. */
  isOver = false;
  #nextStream = -1;

  static async open(reach: Reach, { localAddress, settings, reads = true }: RawOptions = {}): Promise<RawHttp2> {
    const { host, port, ...tls } = tlsOptionsOf(reach);
    const tcp = connectTcp({ host, port, allowHalfOpen: true, ...(localAddress && { localAddress }) });
    const socket = connectTls({ ...tls, socket: tcp, ALPNProtocols: ['h2'], allowHalfOpen: true } as ConnectionOptions);
    socket.on('error', () => undefined);
    const closed = once(socket, 'close').then(() => Promise.reject(new Error('closed before the handshake was done')));
    await Promise.race([once(socket, 'secureConnect'), closed]);
    closed.catch(() => undefined);
    return new RawHttp2(socket, settings, reads);
  }

  private constructor(socket: TLSSocket, settings: RawOptions['settings'], reads: boolean) {
    this.socket = socket;
    const reader = new FrameReader();
    const end = () => {
      this.isOver = true;
    };
    socket.once('error', end).once('end', end).once('close', end);
    if (reads) socket.on('data', (chunk) => this.#take(reader.read(chunk)));
    socket.write(Buffer.concat([PREFACE, settingsFrame(settings)]));
  }

  nextStream(): number {
    this.#nextStream += 2;
    return this.#nextStream;
  }

  /** False if the peer does not take more now. */
  send(bytes: Uint8Array): boolean {
    return !this.isOver && this.socket.writable && this.socket.write(bytes);
  }

  close(): void {
    this.socket.destroy();
  }

  #take(frames: ReturnType<FrameReader['read']>): void {
    for (const { type, payload } of frames) {
      this.received.set(type, (this.received.get(type) ?? 0) + 1);
      if (type === FRAME.goAway) this.goAway ??= payload.readUInt32BE(4);
    }
  }
}
