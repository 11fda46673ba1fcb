// An API with one route, bare or protected by @tessera/verify, on one framework. Its order comes as a message.
import { createServer } from 'node:http';
import { serve } from '@hono/node-server';
import express from 'express';
import { fastify } from 'fastify';
import { Hono } from 'hono';
import { type Guard, type VerifierOptions, verifier } from '../../../sdk/verify/src/verify.ts';

export interface ServerOrder {
  readonly framework: Framework;
  readonly port: number;
  /** Undefined: without protection. */
  readonly options: VerifierOptions | undefined;
}

export const FRAMEWORKS = ['node:http', 'fastify', 'express', 'hono'] as const;
export type Framework = (typeof FRAMEWORKS)[number];

const HOST = '127.0.0.1';
const BODY = 'orders';

/** Each resolves when it listens. */
const STARTS: Readonly<Record<Framework, (port: number, guard: Guard | undefined) => Promise<unknown>>> = {
  'node:http': (port, guard) => {
    const read = guard?.require('orders:read');
    const server = read
      ? createServer((request, response) => {
          void Promise.resolve(read(request, response)).then((isAllowed) => isAllowed && response.end(BODY));
        })
      : createServer((_request, response) => void response.end(BODY));
    return new Promise<void>((resolve) => server.listen(port, HOST, resolve));
  },
  fastify: (port, guard) => {
    const app = fastify();
    app.get('/orders', guard ? { preHandler: guard.require('orders:read') } : {}, async () => BODY);
    return app.listen({ port, host: HOST });
  },
  express: (port, guard) => {
    const app = express();
    app.get('/orders', ...(guard ? [guard.require('orders:read')] : []), (_request, response) => {
      response.send(BODY);
    });
    return new Promise<void>((resolve) => app.listen(port, HOST, () => resolve()));
  },
  hono: (port, guard) => {
    const app = new Hono();
    if (guard) app.get('/orders', guard.require('orders:read'), (context) => context.text(BODY));
    else app.get('/orders', (context) => context.text(BODY));
    return new Promise((resolve) => serve({ fetch: app.fetch, port, hostname: HOST }, resolve));
  },
};

process.once('message', ({ framework, port, options }: ServerOrder) => {
  void (async () => {
    await STARTS[framework](port, options && (await verifier(options)));
    process.send?.('ready');
  })();
});
process.once('disconnect', () => process.exit());
