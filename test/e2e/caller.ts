// Callers of the service: the same request over HTTP/1.1 and HTTP/2, with exact answers.

import { type IncomingMessage, request as requestHttp } from 'node:http';
import { type ClientHttp2Session, connect as connectHttp2, constants } from 'node:http2';
import { Agent, request as requestHttps } from 'node:https';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import { writePem } from '../../src/pki/der/pem.ts';
import type { Issued } from '../authority.ts';
import type { TestService } from './service.ts';

export const PROTOCOLS = ['HTTP/1.1', 'HTTP/2'] as const;
export type Protocol = (typeof PROTOCOLS)[number];

type Headers = Readonly<Record<string, string | string[]>>;

export interface Question {
  readonly method?: string;
  readonly path: string;
  readonly headers?: Headers;
  readonly body?: string | Uint8Array;
}

export interface Answer {
  readonly status: number;
  /** HTTP/1.1 only. */
  readonly phrase: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
  /** The body as JSON; undefined if it is not JSON. */
  readonly json: Record<string, unknown>;
}

export interface Caller {
  readonly protocol: Protocol;
  ask(question: Question): Promise<Answer>;
  close(): void;
}

export interface Reach {
  readonly port: number;
  readonly ca: string;
  readonly certificate?: Pick<Issued, 'chain' | 'key'> | undefined;
}

export function reachOf({ port, authority }: Pick<TestService, 'port' | 'authority'>, certificate?: Issued): Reach {
  return { port, ca: authority.pem, certificate };
}

export function callerOver(protocol: Protocol, reach: Reach): Caller {
  return protocol === 'HTTP/1.1' ? http1Caller(reach) : http2Caller(reach);
}

/** How a TLS client presents itself. */
export function tlsOptionsOf({ port, ca, certificate }: Reach) {
  const own = certificate && { cert: certificate.chain.map((der) => writePem(der)).join(''), key: certificate.key };
  return { host: '127.0.0.1', port, servername: 'localhost', ca, ...own };
}

/** The name of the handshake: a proxy that asks for certificates may insist on it. */
function hostOf({ port }: Reach): string {
  return `localhost:${port}`;
}

const unsent = new WeakSet<object>();

/** Whether the connection ended before it was secure, so that nothing of the request was sent. */
export function isUnsent(error: unknown): boolean {
  return unsent.has(error as object) || /pending stream has been canceled/.test((error as Error).message);
}

function http1Caller(reach: Reach): Caller {
  const agent = new Agent({ keepAlive: true, maxSockets: 80, ...tlsOptionsOf(reach) });
  return {
    protocol: 'HTTP/1.1',
    ask: ({ method = 'GET', path, headers = {}, body }) =>
      new Promise((resolve, reject) => {
        const options = { ...tlsOptionsOf(reach), method, path, agent, headers: { host: hostOf(reach), ...headers } };
        const request = requestHttps(options, (response) => void readHttp1(response).then(resolve, reject));
        let isSecure = false;
        request.on('socket', (socket) => {
          if (!request.reusedSocket) socket.once('secureConnect', () => (isSecure = true));
        });
        request.on('error', (error) => {
          if (!isSecure && !request.reusedSocket) unsent.add(error);
          reject(error);
        });
        request.end(body);
      }),
    close: () => agent.destroy(),
  };
}

/** For listeners without TLS. */
export function askPlainly(port: number, { method = 'GET', path, headers = {}, body }: Question): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const options = { host: '127.0.0.1', port, method, path, headers: { ...headers } };
    const request = requestHttp(options, (response) => void readHttp1(response).then(resolve, reject));
    request.on('error', reject);
    request.end(body);
  });
}

export async function readHttp1(response: IncomingMessage): Promise<Answer> {
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk as Buffer);
  return answerOf(
    response.statusCode ?? 0,
    response.statusMessage ?? '',
    response.headers,
    Buffer.concat(chunks).toString('utf8'),
  );
}

function http2Caller(reach: Reach): Caller {
  let session: ClientHttp2Session | undefined;
  const open = (): ClientHttp2Session => {
    if (session && !session.closed && !session.destroyed) return session;
    session = connectHttp2(`https://${hostOf(reach)}`, { ...tlsOptionsOf(reach) });
    session.on('error', () => undefined); // each stream reports it as well
    return session;
  };
  return { protocol: 'HTTP/2', ask: (question) => askHttp2(open(), question), close: () => session?.destroy() };
}

function askHttp2(session: ClientHttp2Session, question: Question): Promise<Answer> {
  const { method = 'GET', path, headers = {}, body } = question;
  return new Promise((resolve, reject) => {
    const stream = session.request({ ':method': method, ':path': path, ...headers }, { endStream: body === undefined });
    let status = 0;
    let received: Answer['headers'] = {};
    const chunks: Buffer[] = [];
    stream.on('response', (given) => {
      status = given[':status'] ?? 0;
      received = given as Answer['headers'];
    });
    stream.on('data', (chunk: Buffer) => chunks.push(chunk));
    stream.on('end', () => {
      if (status === 0) reject(new Error('the connection ended without an answer'));
      resolve(answerOf(status, '', received, Buffer.concat(chunks).toString('utf8')));
    });
    stream.on('error', reject);
    stream.on('close', () => {
      if (stream.rstCode !== constants.NGHTTP2_NO_ERROR) reject(new Error(`the stream was reset: ${stream.rstCode}`));
    });
    if (body !== undefined) stream.end(body);
  });
}

function answerOf(status: number, phrase: string, headers: Answer['headers'], text: string): Answer {
  return { status, phrase, headers, text, json: parseJson(text) as Record<string, unknown> };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

export function json(body: unknown): Pick<Question, 'method' | 'headers' | 'body'> {
  return { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
}

export function form(fields: Readonly<Record<string, string>> | string): Pick<Question, 'method' | 'headers' | 'body'> {
  const body = typeof fields === 'string' ? fields : new URLSearchParams(fields).toString();
  return { method: 'POST', headers: { 'content-type': 'application/x-www-form-urlencoded' }, body };
}

export function bearer(token: string): Pick<Question, 'headers'> {
  return { headers: { authorization: `Bearer ${token}` } };
}

/** An open TLS connection on which anything can be written. */
export function rawConnection(reach: Reach): Promise<TLSSocket> {
  return new Promise((resolve, reject) => {
    const socket = connectTls({ ...tlsOptionsOf(reach), ALPNProtocols: ['http/1.1'] }, () => resolve(socket));
    socket.once('error', reject);
  });
}

/** Everything that comes back until the other side closes, or `milliseconds` have passed. */
export async function readToEnd(socket: TLSSocket, milliseconds = 5000): Promise<string> {
  const chunks: Buffer[] = [];
  socket.on('data', (chunk: Buffer) => chunks.push(chunk));
  socket.on('error', () => undefined); // a reset ends it as well
  await new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, milliseconds);
    socket.once('close', () => {
      clearTimeout(timer);
      resolve();
    });
  });
  socket.destroy();
  return Buffer.concat(chunks).toString('latin1');
}

export async function sendRaw(reach: Reach, text: string | Uint8Array, milliseconds?: number): Promise<string> {
  const socket = await rawConnection(reach);
  socket.write(text);
  return readToEnd(socket, milliseconds);
}
