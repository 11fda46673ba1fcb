// One HTTP request to the server. Node's own client instead of fetch, because fetch cannot present a certificate.
import { type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import type { TLSSocket } from 'node:tls';
import { parseJson } from '../json.ts';

export interface Tls {
  /** PEM texts. */
  readonly ca?: string | undefined;
  readonly cert?: string | undefined;
  readonly key?: string | undefined;
}

export interface Answer {
  readonly status: number;
  readonly retryAfter: string | undefined;
  readonly nonce?: string | undefined;
  /** The body, if it is a JSON object. */
  readonly json: Readonly<Record<string, unknown>> | undefined;
}

export interface Sending {
  readonly form?: Readonly<Record<string, string>>;
  readonly bearer?: string;
  /** A DPoP proof. */
  readonly proof?: string | undefined;
  readonly tls?: Tls;
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
  /** Runs once the connection is open, before anything is sent. If it throws, nothing is sent. */
  readonly beforeSent?: (() => Promise<void>) | undefined;
}

/** No answer came. If `wasSent` is false, the server has certainly not seen the request. */
export class NoAnswer extends Error {
  override readonly name = 'NoAnswer';
  readonly wasSent: boolean;

  constructor(wasSent: boolean, cause: Error) {
    super(cause.message || (cause as NodeJS.ErrnoException).code || 'no answer', { cause });
    this.wasSent = wasSent;
  }
}

const MOST_BYTES = 1_000_000;

/** Every request has a connection of its own, so that none is sent on one that the server is closing. */
export function send(
  url: string,
  { form, bearer, proof, tls = {}, timeoutMs, signal, beforeSent }: Sending,
): Promise<Answer> {
  const body = form && new URLSearchParams(form).toString();
  const isTls = url.startsWith('https:');
  const options = {
    method: body === undefined ? 'GET' : 'POST',
    headers: { ...headersOf(body, bearer), ...(proof !== undefined && { dpop: proof }) },
    agent: false,
    signal,
    ...(isTls && tls),
  } as const;
  return new Promise((resolve, reject) => {
    let wasSent = false;
    const request = (isTls ? requestHttps : requestHttp)(url, options as object);
    const late = setTimeout(() => request.destroy(new Error(`no answer within ${timeoutMs / 1000} s`)), timeoutMs);
    const fail = (error: Error) => {
      clearTimeout(late);
      reject(new NoAnswer(wasSent, error));
    };
    const abort = (error: Error) => {
      clearTimeout(late);
      reject(error);
      request.destroy();
    };
    const sendBody = async () => {
      await beforeSent?.();
      if (request.destroyed) return; // it took too long
      wasSent = true;
      request.end(body);
    };
    request.on('socket', (socket: TLSSocket) =>
      socket.once(isTls ? 'secureConnect' : 'connect', () => void sendBody().catch(abort)),
    );
    request.on('error', fail);
    request.on('response', (response) => {
      readAnswer(response).then((answer) => {
        clearTimeout(late);
        resolve(answer);
      }, fail);
    });
  });
}

function headersOf(body: string | undefined, bearer: string | undefined): Readonly<Record<string, string>> {
  return {
    accept: 'application/json',
    connection: 'close',
    ...(body !== undefined && {
      'content-type': 'application/x-www-form-urlencoded',
      'content-length': String(Buffer.byteLength(body)),
    }),
    ...(bearer !== undefined && { authorization: `Bearer ${bearer}` }),
  };
}

async function readAnswer(response: IncomingMessage): Promise<Answer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    size += chunk.length;
    chunks.push(chunk);
    if (size > MOST_BYTES) throw new Error('the answer is too large');
  }
  const json = parseObject(Buffer.concat(chunks).toString('utf8'));
  const { 'retry-after': retryAfter, 'dpop-nonce': nonce } = response.headers;
  return { status: response.statusCode ?? 0, retryAfter, nonce: [nonce].flat()[0], json };
}

function parseObject(text: string): Record<string, unknown> | undefined {
  const value = parseJson(text);
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
}
