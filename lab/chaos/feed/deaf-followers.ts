// Followers of the feed that connect and never read.
import { type ClientHttp2Session, connect as connectHttp2 } from 'node:http2';
import { connect } from 'node:tls';
import { reachOf, type Target } from './target.ts';

/** Half of them over HTTP/1.1, where the kernel takes megabytes before the service notices; half over HTTP/2, where it notices at once. */
export interface DeafFollowers {
  readonly http1: number;
  readonly http2: number;
  /** How many of those over HTTP/2 the service has cut so far. */
  readonly cut: number;
  close(): void;
}

const AT_A_TIME = 20;
/** Streams that a stranger may open on one connection. */
const STREAMS = 16;
/** Bytes that the service may send on a stream before the follower reads. */
const WINDOW = 1_000;

export async function deafFollowers(target: Target, count: number, cursor: string): Promise<DeafFollowers> {
  const closers: (() => void)[] = [];
  const half = Math.floor(count / 2);
  for (let n = 0; n < half; n += AT_A_TIME)
    closers.push(
      ...(await Promise.all(Array.from({ length: Math.min(AT_A_TIME, half - n) }, () => overHttp1(target, cursor)))),
    );
  let cut = 0;
  for (let left = count - half; left > 0; left -= STREAMS) {
    const session = await openSession(target);
    closers.push(() => session.destroy());
    const opening = Array.from({ length: Math.min(STREAMS, left) }, () =>
      overHttp2(session, target, cursor, () => (cut += 1)),
    );
    await Promise.all(opening);
  }
  return {
    http1: half,
    http2: count - half,
    get cut() {
      return cut;
    },
    close: () => {
      for (const close of closers) close();
    },
  };
}

function overHttp1(target: Target, cursor: string): Promise<() => void> {
  const lines = ['GET /oauth2/revocations HTTP/1.1', 'Host: localhost', 'Accept: text/event-stream'];
  const head = [...lines, `Authorization: ${target.authorization}`, `Last-Event-ID: ${cursor}`, '', ''].join('\r\n');
  return new Promise((resolve, reject) => {
    const socket = connect(reachOf(target), () => socket.write(head));
    socket.once('error', reject);
    socket.once('readable', () => {
      socket.removeListener('error', reject);
      socket.on('error', () => undefined);
      resolve(() => socket.destroy()); // nothing is read from now on
    });
  });
}

async function openSession(target: Target): Promise<ClientHttp2Session> {
  const session = connectHttp2(`https://localhost:${target.port}`, {
    ...reachOf(target),
    settings: { initialWindowSize: WINDOW },
  });
  await new Promise((resolve, reject) => session.once('remoteSettings', resolve).once('error', reject));
  return session.on('error', () => undefined);
}

function overHttp2(session: ClientHttp2Session, target: Target, cursor: string, onCut: () => void): Promise<void> {
  const { authorization } = target;
  const headers = { ':path': '/oauth2/revocations', accept: 'text/event-stream', authorization };
  const stream = session.request({ ...headers, 'last-event-id': cursor });
  return new Promise((resolve, reject) => {
    stream.once('error', reject);
    stream.once('response', ({ ':status': status }) => {
      if (status !== 200) return reject(new Error(`a follower got ${status}`));
      stream.removeListener('error', reject);
      stream.on('error', () => undefined);
      stream.once('close', onCut);
      resolve();
    });
  });
}
