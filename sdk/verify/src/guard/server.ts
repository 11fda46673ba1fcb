// The HTTP face: /check for the proxy, /healthz, /readyz and /metrics for operators, and the metadata of the APIs.
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { chmodSync, lstatSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import { connect } from 'node:net';
import { resolve } from 'node:path';
import { type Answer, answerTo, refuse } from '../refusal.ts';
import { CHECK } from './asked.ts';
import { allowing, type Configuration, isOfThisMachine, WrongConfiguration } from './configuration.ts';
import { type Decision, decide, plainAnswer } from './decide.ts';
import { Configured, type Source } from './in-effect.ts';
import type { WriteLine } from './log.ts';
import { Metrics } from './metrics.ts';
import { USUAL_ADDRESS } from './words.ts';

/** How often the files are read, and freshness is noted. */
const LOOK_MS = 1_000;
/** Requests in flight may wait for the service this long. */
const STOP_MS = 10_000;
/** Longer than proxies keep a connection: one that they still use is never closed. */
const KEEP_ALIVE_MS = 75_000;
const REQUEST_ID = /^[\w.:/+=-]{1,128}$/;

export class GuardServer {
  readonly #configured: Configured;
  readonly #write: WriteLine;
  /** Of the paths in the configuration. */
  readonly #folder: string;
  readonly #metrics = new Metrics();
  readonly #servers: Server[] = [];
  #look: NodeJS.Timeout | undefined;
  #isStopping = false;

  constructor(source: Source, write: WriteLine) {
    this.#configured = new Configured(source, write);
    this.#write = write;
    this.#folder = source.folder;
  }

  /** The addresses that it listens on. */
  async start(): Promise<readonly string[]> {
    await this.#configured.load();
    const { configuration } = this.#configured.current;
    const { listen = [USUAL_ADDRESS] } = configuration;
    for (const address of listen) this.#servers.push(await this.#listen(address, configuration));
    this.#look = setInterval(() => {
      this.#configured.watch(Date.now());
      void this.#configured.reload();
    }, LOOK_MS);
    return listen;
  }

  reload(): Promise<void> {
    return this.#configured.reload(true);
  }

  /** Requests in flight are answered first. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    clearInterval(this.#look);
    const late = setTimeout(() => this.#servers.map((server) => server.closeAllConnections()), STOP_MS);
    await Promise.all(this.#servers.map((server) => new Promise((done) => server.close(done))));
    clearTimeout(late);
    this.#configured.close();
  }

  async #listen(address: string, { allow, tls }: Configuration): Promise<Server> {
    const server = serverFor((request, response) => void this.#serve(request, response), tls, this.#folder);
    server.keepAliveTimeout = KEEP_ALIVE_MS;
    server.maxHeadersCount = 0; // none is dropped: what is there twice is refused
    const mayConnect = isOfThisMachine(address) ? undefined : allowing(allow);
    server.on('connection', (socket) => {
      if (mayConnect && !mayConnect(socket.remoteAddress ?? '')) socket.destroy();
    });
    if (!address.startsWith('/')) {
      const [, host = '', port] = /^\[?([^\]]*)\]?:(\d+)$/.exec(address) ?? [];
      server.listen(Number(port), host);
    } else {
      await removeLeftover(address);
      server.listen(address, () => chmodSync(address, 0o660));
    }
    await once(server, 'listening');
    return server;
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const began = performance.now();
    const given = request.headers['x-request-id'];
    const requestId = typeof given === 'string' && REQUEST_ID.test(given) ? given : randomUUID();
    const { url = '' } = request;
    const isCheck = url.startsWith(CHECK) && /^[/?]|^$/.test(url.slice(CHECK.length));
    if (!isCheck && !((await this.#configured.metadataAt(request.headers.host)?.(request, response)) ?? true)) return;
    const decision = isCheck ? await this.#decide(request, requestId) : undefined;
    const { status, headers, body } = decision?.answer ?? this.#other(request);
    const length = { 'content-length': Buffer.byteLength(body), 'x-request-id': requestId };
    response.writeHead(status, { ...headers, ...length, ...(this.#isStopping && { connection: 'close' }) });
    response.end(body);
    if (decision) this.#note(decision, requestId, (performance.now() - began) / 1000);
  }

  /** A defect refuses: only a decision lets a request through. */
  async #decide(request: IncomingMessage, requestId: string): Promise<Decision> {
    try {
      return await decide(request, this.#configured.current);
    } catch (fault) {
      this.#write('error', { requestId, fault: (fault as Error).stack }, 'a defect of the guard');
      return { answer: answerTo(refuse('unavailable', 'The guard cannot decide.')), reason: 'defect' };
    }
  }

  #note({ answer: { status }, asked, ...facts }: Decision, requestId: string, seconds: number): void {
    this.#metrics.note(status, facts.reason, seconds);
    const path = asked?.target.split('?', 1)[0]?.slice(0, 256);
    const call = asked && { method: asked.method, host: asked.host, path };
    const ms = Math.round(seconds * 1e6) / 1e3;
    this.#write('info', { requestId, status, ...facts, ...call, ms }, 'request');
  }

  #other({ url = '' }: IncomingMessage): Answer {
    const [path = ''] = url.split('?', 1);
    const states = this.#configured.states;
    if (path === '/healthz') return { status: 200, headers: JSON_HEADERS, body: '{"isAlive":true}' };
    if (path === '/readyz') return this.#readiness();
    if (path === '/metrics') return { status: 200, headers: TEXT, body: this.#metrics.text(states) };
    return plainAnswer(404, 'not_found', `Ask for ${CHECK}.`);
  }

  /** Ready while the last news of each resource server count. */
  #readiness(): Answer {
    const states = this.#configured.states;
    const isReady = !this.#isStopping && states.every(({ isWithinBound }) => isWithinBound);
    const resourceServers = states.map(({ id, isFresh, isWithinBound, since }) => ({
      ...{ id, isFresh, isWithinBound, since: new Date(since).toISOString() },
    }));
    return { status: isReady ? 200 : 503, headers: JSON_HEADERS, body: JSON.stringify({ isReady, resourceServers }) };
  }
}

const TEXT = { 'content-type': 'text/plain; version=0.0.4; charset=utf-8', 'cache-control': 'no-store' };
const JSON_HEADERS = { 'content-type': 'application/json', 'cache-control': 'no-store' };

function serverFor(listener: RequestListener, tls: Configuration['tls'], folder: string): Server {
  if (!tls) return createServer(listener);
  const [cert, key, ca] = [tls.certificate, tls.key, tls.clients].map((path) => readFileSync(resolve(folder, path)));
  return createSecureServer({ cert, key, ca, requestCert: true, rejectUnauthorized: true }, listener);
}

/** A socket of a guard that has ended. One that somebody listens on stays. */
async function removeLeftover(path: string): Promise<void> {
  const socket = connect(path);
  const isInUse = await once(socket, 'connect').then(
    () => true,
    () => false,
  );
  socket.destroy();
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (isInUse || found?.isSocket() === false) throw new WrongConfiguration(`listen: ${path} is in use`);
  rmSync(path, { force: true });
}
