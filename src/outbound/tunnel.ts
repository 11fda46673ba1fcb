import type { Socket } from 'node:net';
import { connect, type TLSSocket } from 'node:tls';
import { credentialsOf } from './proxy.ts';

// Not imported: see guarded-fetch.ts.
const { request } = process.getBuiltinModule('node:http');

/** A TLS connection to the target through a proxy (RFC 9110 9.3.6). */
export function openTunnel(proxy: URL, target: URL, patienceMs: number, signal: AbortSignal): Promise<TLSSocket> {
  const place = `${target.hostname}:${target.port || 443}`;
  return new Promise((resolve, reject) => {
    const asking = request({
      ...{ host: proxy.hostname, port: Number(proxy.port) || 80, agent: false, signal },
      ...{ method: 'CONNECT', path: place, headers: { host: place, ...credentialsOf(proxy) } },
    });
    const timer = setTimeout(() => asking.destroy(new Error('the proxy did not answer in time')), patienceMs);
    asking.once('error', reject).once('close', () => clearTimeout(timer));
    asking.once('response', ({ statusCode }) => asking.destroy(new Error(`the proxy answered ${statusCode}`)));
    asking.once('connect', ({ statusCode }, socket: Socket) => {
      clearTimeout(timer);
      if (statusCode !== 200) {
        socket.destroy();
        return reject(new Error(`the proxy answered ${statusCode}`));
      }
      const secured = connect({ socket, servername: target.hostname }, () => resolve(secured));
      secured.once('error', reject);
    });
    asking.end();
  });
}
