// The answer to most requests, past fastify's `send`, which looks up the type of the text and runs hooks for every answer:
// 1.2 to 1.7 % of a refresh (`npm run bench -- --in-process`).
import type { FastifyReply } from 'fastify';
import { isOnKeptConnection } from './gate.ts';
import { JSON_HEADERS } from './json-headers.ts';
import { replyJson } from './refusal-replies.ts';

const HEADERS = Object.entries(JSON_HEADERS).flat();

/** Status 200. No other header may have been set. */
export function answerJson(reply: FastifyReply, body: string): void {
  // Over HTTP/2, and while the server stops, hooks have to do something.
  if (reply.sent || !isOnKeptConnection(reply.raw)) return void replyJson(reply, 200, body);
  reply.hijack();
  reply.raw.writeHead(200, [...HEADERS, 'content-length', String(Buffer.byteLength(body))]).end(body);
}
