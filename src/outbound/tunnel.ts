import type { Socket } from 'node:net';
import { connect, type TLSSocket } from 'node:tls';
import type { FetchInit } from './download.ts';
import { credentialsOf } from './proxy.ts';

// Not imported: see guarded-fetch.ts.
const { request } = process.getBuiltinModule('node:http');

/** A TLS connection to the target through a proxy (RFC 9110 9.3.6). */
export function openTunnel(
  proxy: URL,
  target: URL,
  timeoutMs: number,
  { signal, authorities }: Pick<FetchInit, 'signal' | 'authorities'>,
): Promise<TLSSocket> {
  const place = `${target.hostname}:${target.port || 443}`;
  return new Promise((resolve, reject) => {
    const tunnel = request({
      ...{ host: proxy.hostname, port: Number(proxy.port) || 80, agent: false, signal },
      ...{ method: 'CONNECT', path: place, headers: { host: place, ...credentialsOf(proxy) } },
    });
    const timer = setTimeout(() => tunnel.destroy(new Error('the proxy timed out')), timeoutMs);
    tunnel.once('error', reject).once('close', () => clearTimeout(timer));
    tunnel.once('connect', ({ statusCode }, socket: Socket) => {
      clearTimeout(timer);
      if (statusCode !== 200) {
        socket.destroy();
        return reject(new Error(`the proxy replied ${statusCode}`));
      }
      const trust = authorities === undefined ? {} : { ca: authorities };
      const secured = connect({ socket, servername: target.hostname, ...trust }, () => {
        clearTimeout(handshake);
        resolve(secured);
      });
      const handshake = setTimeout(() => secured.destroy(new Error('TLS through the proxy timed out')), timeoutMs);
      secured.once('error', reject).once('close', () => clearTimeout(handshake));
    });
    tunnel.end();
  });
}
