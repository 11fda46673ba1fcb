// A fetch for untrusted addresses. It connects only to public addresses and to those an operator allows, follows no
// redirects, and limits the time for connecting and for headers. `download` limits the body.
import { lookup } from 'node:dns/promises';
import type { ClientRequest, IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { isIP } from 'node:net';
import type { Readable } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { whyNotReachable } from './address-filter.ts';
import { boundReply } from './bound-reply.ts';
import type { Fetch, Fetched, FetchInit } from './download.ts';
import { credentialsOf, type Environment, openTunnel, portOf, proxyFor } from './proxy.ts';

// Not imported: an import statement reads every export of node:http, and one of them loads the client behind fetch.
const { request: httpRequest } = process.getBuiltinModule('node:http');

export interface OutboundPorts {
  readonly resolve: (hostname: string) => Promise<readonly string[]>;
  readonly environment: Environment;
}

/** Where a request goes: the address to connect to, and the request to send there. */
interface Route {
  readonly host: string;
  readonly port: number;
  readonly path: string;
  readonly headers?: Record<string, string>;
  /** The proxy through which a TLS connection to the target is made. */
  readonly tunnel?: URL;
}

/** Some hosts answer 403 without one. */
const USER_AGENT = 'Tessera';
const CONNECT_MS = 3_000;
const HEADERS_MS = 5_000;
/** Concurrent requests per host; others wait. */
const AT_ONCE = 8;

export function guardedFetch(ports: OutboundPorts): Fetch {
  const takeTurn = turnsOf(AT_ONCE);
  return async (url, init) => {
    const target = new URL(url);
    if (target.username || target.password) throw new Error('the address contains a password');
    const leave = await takeTurn(target.host, init.signal);
    try {
      const message = await send(target, await routeTo(target, init, ports), init);
      if (message.closed) leave();
      else message.once('close', leave);
      return responseOf(message);
    } catch (problem) {
      leave();
      throw problem;
    }
  };
}

async function routeTo(target: URL, { allowed = [] }: FetchInit, ports: OutboundPorts): Promise<Route> {
  const proxy = proxyFor(target, ports.environment);
  if (proxy) return routeThrough(proxy, target, allowed);
  const hostname = bareHost(target);
  const addresses = isIP(hostname) ? [hostname] : await ports.resolve(hostname);
  const objections = addresses.map((address) => whyNotReachable(address, allowed));
  const host = addresses.find((_, index) => objections[index] === undefined);
  if (host === undefined) throw new Error(objections.join('; ') || `${hostname} has no address`);
  return { host, port: portOf(target), path: target.pathname + target.search };
}

/** The operator chose the proxy, and the proxy resolves names itself; IP addresses are checked here. */
function routeThrough(proxy: URL, target: URL, allowed: readonly string[]): Route {
  const hostname = bareHost(target);
  const objection = isIP(hostname) ? whyNotReachable(hostname, allowed) : undefined;
  if (objection ?? /(^|\.)localhost\.*$/.test(hostname)) throw new Error(objection ?? `${hostname} is loopback`);
  const place = { host: bareHost(proxy), port: portOf(proxy), headers: credentialsOf(proxy) };
  if (target.protocol === 'http:') return { ...place, path: target.href };
  return { ...place, path: target.pathname + target.search, headers: {}, tunnel: proxy };
}

async function send(target: URL, route: Route, init: FetchInit): Promise<IncomingMessage> {
  const { host, port, path } = route;
  const isTls = target.protocol === 'https:';
  const socket = route.tunnel && (await openTunnel(route.tunnel, target, CONNECT_MS, init));
  const request = (isTls ? httpsRequest : httpRequest)({
    ...{ host, port, path, method: init.method, signal: init.signal },
    headers: {
      'accept-encoding': 'identity',
      'user-agent': USER_AGENT,
      ...init.headers,
      ...route.headers,
      host: target.host,
    },
    ...(isTls && { servername: isIP(bareHost(target)) ? '' : bareHost(target) }),
    ...(isTls && init.authorities !== undefined && { ca: init.authorities }),
    ...(socket ? { createConnection: () => socket } : { agent: false }),
  });
  boundReply(request);
  return answerTo(request, init.body);
}

function answerTo(request: ClientRequest, body: Uint8Array | undefined): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const giveUp = (what: string, ms: number) => setTimeout(() => request.destroy(new Error(what)), ms);
    const headers = giveUp('the response headers timed out', CONNECT_MS + HEADERS_MS);
    const connecting = giveUp('connecting timed out', CONNECT_MS);
    request.once('socket', (socket) => {
      const connected = () => clearTimeout(connecting);
      if (socket.connecting) socket.once('connect', connected);
      else connected();
    });
    request.once('response', (response) => {
      clearTimeout(headers);
      resolve(response);
    });
    request.once('error', reject);
    request.once('close', () => {
      clearTimeout(headers);
      clearTimeout(connecting);
      reject(new Error('the connection was closed')); // such as after 101, which we do not ask for
    });
    request.end(body);
  });
}

/** Skips the body unless the response is successful. */
function responseOf(message: IncomingMessage): Fetched {
  const status = message.statusCode ?? 0;
  if (status !== 200) {
    message.destroy();
    return { ok: status >= 200 && status <= 299, status, headers: { get: () => null }, body: null };
  }
  const headers = { get: (name: string) => [message.headers[name]].flat()[0] ?? null };
  // Not Readable.toWeb: it throws an uncatchable error if data arrives after a cancellation.
  const body = ReadableStream.from(decoded(message)) as ReadableStream<Uint8Array<ArrayBuffer>>;
  return { ok: true, status, headers, body };
}

const PIECES = { chunkSize: 64 * 1024 };
const DECODERS: Readonly<Record<string, () => NodeJS.ReadWriteStream & Readable>> = {
  gzip: () => createGunzip(PIECES),
  'x-gzip': () => createGunzip(PIECES),
  deflate: () => createInflate(PIECES),
  br: () => createBrotliDecompress(PIECES),
};

/** We do not ask for compression. If a server compresses anyway, the limit applies to the decompressed size. */
function decoded(message: IncomingMessage): Readable {
  if (message.errored) throw message.errored; // in the same read as its headers
  // The reader gets the fault; later ones have no listener and must not crash the process.
  message.on('error', () => undefined);
  const encoding = message.headers['content-encoding']?.toLowerCase() ?? 'identity';
  if (encoding === 'identity') return message;
  const decoder = Object.hasOwn(DECODERS, encoding) ? DECODERS[encoding]?.() : undefined;
  if (!decoder) {
    message.destroy();
    throw new Error(`the response has the unsupported encoding ${encoding}`);
  }
  decoder.on('error', () => undefined);
  message.once('error', (problem) => decoder.destroy(problem));
  decoder.once('close', () => message.destroy());
  return message.pipe(decoder);
}

function bareHost({ hostname }: URL): string {
  return hostname.replace(/^\[|\]$/g, '');
}

/** Uses this machine's resolver and proxy settings. */
export function systemFetch(): Fetch {
  const resolve = async (hostname: string) => {
    const found = await lookup(hostname, { all: true });
    return found.map(({ address }) => address);
  };
  return guardedFetch({ resolve, environment: process.env });
}

/** Limits concurrency per key; others wait in order, or until their signal aborts. Resolves to a function that ends the turn. */
export function turnsOf(most: number): (key: string, signal: AbortSignal) => Promise<() => void> {
  const hosts = new Map<string, { running: number; readonly queue: (() => void)[] }>();
  return async (key, signal) => {
    const host = hosts.get(key) ?? { running: 0, queue: [] };
    hosts.set(key, host);
    if (host.running < most) host.running += 1;
    else await inTurn(host.queue, signal);
    let hasLeft = false;
    return () => {
      if (hasLeft) return;
      hasLeft = true;
      const next = host.queue.shift();
      if (next) next();
      else host.running -= 1;
      if (host.running === 0) hosts.delete(key);
    };
  };
}

function inTurn(queue: (() => void)[], signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const enter = () => {
      signal.removeEventListener('abort', giveUp);
      resolve();
    };
    const giveUp = () => {
      queue.splice(queue.indexOf(enter), 1);
      reject(signal.reason);
    };
    signal.addEventListener('abort', giveUp);
    queue.push(enter);
  });
}
