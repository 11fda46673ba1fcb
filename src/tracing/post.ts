// Sends one batch to the collector. The operator chose the address, so it is not filtered, unlike addresses in certificates.
import { Agent as HttpAgent, request as httpRequest } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { boundReply } from '../outbound/bound-reply.ts';

export interface Reply {
  readonly status: number;
  readonly body: string;
}

/** Rejects if no complete reply arrives in time. */
export type Post = (body: string) => Promise<Reply>;

/** A longer reply of a collector is cut off. */
const MAX_REPLY = 64 * 1024;

export function poster(endpoint: string, withinMs: number): Post {
  const isTls = endpoint.startsWith('https:');
  const agent = new (isTls ? HttpsAgent : HttpAgent)({ keepAlive: true, maxSockets: 1 });
  return (body) =>
    new Promise((resolve, reject) => {
      const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
      const request = (isTls ? httpsRequest : httpRequest)(endpoint, { method: 'POST', agent, headers });
      boundReply(request);
      const timer = setTimeout(() => request.destroy(new Error(`no reply within ${withinMs} ms`)), withinMs);
      timer.unref();
      request.once('close', () => {
        clearTimeout(timer);
        reject(new Error('the connection was closed')); // unless there was a reply
      });
      request.once('error', reject);
      request.once('response', (response) => {
        let text = '';
        const answer = () => resolve({ status: response.statusCode ?? 0, body: text });
        response.setEncoding('utf8');
        response.on('data', (part: string) => {
          text += part;
          if (text.length < MAX_REPLY) return;
          answer();
          response.destroy();
        });
        response.once('error', reject);
        response.once('end', answer);
      });
      request.end(body);
    });
}
