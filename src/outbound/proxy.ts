// The proxy from the environment variables that curl and others use, and TLS connections through it.
import type { Socket } from 'node:net';
import { connect, type TLSSocket } from 'node:tls';
import type { FetchInit } from './download.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

/** The proxy for an address; undefined for a direct connection. Lower-case variables win, as with curl. */
export function proxyFor(target: URL, environment: Environment): URL | undefined {
  const scheme = target.protocol === 'https:' ? 'https_proxy' : 'http_proxy';
  const proxy = read(environment, scheme) || read(environment, 'all_proxy');
  if (!proxy || isExempt(target, read(environment, 'no_proxy'))) return undefined;
  const url = new URL(/^[a-z][a-z0-9+.-]*:\/\//i.test(proxy) ? proxy : `http://${proxy}`);
  if (url.protocol !== 'http:') throw new Error(`the proxy ${url.host} is not an http proxy`);
  return url;
}

/** `Proxy-Authorization`, if the proxy's address contains a user name and password. */
export function credentialsOf({ username, password }: URL): Record<string, string> {
  if (!username) return {};
  const pair = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return { 'proxy-authorization': `Basic ${Buffer.from(pair).toString('base64')}` };
}

function read(environment: Environment, name: string): string {
  return environment[name] ?? environment[name.toUpperCase()] ?? '';
}

export function portOf({ port, protocol }: URL): number {
  return Number(port) || (protocol === 'https:' ? 443 : 80);
}

/** `*`, or host names with or without a leading dot (subdomains match too), each with or without a port. */
function isExempt(target: URL, list: string): boolean {
  const { hostname } = target;
  return list.split(/[\s,]+/).some((entry) => {
    if (entry === '*') return true;
    const [, name = '', wantedPort] = /^\*?\.?(\[[^\]]*\]|[^:]*)(?::(\d+))?$/.exec(entry.toLowerCase()) ?? [];
    if (name === '' || (wantedPort && Number(wantedPort) !== portOf(target))) return false;
    return hostname === name || hostname.endsWith(`.${name}`);
  });
}

// Not imported: see guarded-fetch.ts.
const { request } = process.getBuiltinModule('node:http');

/** A TLS connection to the target through a proxy (RFC 9110 9.3.6). */
export function openTunnel(
  proxy: URL,
  target: URL,
  timeoutMs: number,
  { signal, authorities }: Pick<FetchInit, 'signal' | 'authorities'>,
): Promise<TLSSocket> {
  const place = `${target.hostname}:${portOf(target)}`;
  return new Promise((resolve, reject) => {
    const tunnel = request({
      ...{ host: proxy.hostname, port: portOf(proxy), agent: false, signal },
      ...{ method: 'CONNECT', path: place, headers: { host: place, ...credentialsOf(proxy) } },
    });
    const timer = setTimeout(() => tunnel.destroy(new Error('the proxy timed out')), timeoutMs);
    tunnel.once('error', reject).once('close', () => clearTimeout(timer));
    tunnel.once('connect', ({ statusCode }, socket: Socket) => {
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
