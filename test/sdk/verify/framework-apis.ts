// The same API on each framework, behind guard.require.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { getRequestListener } from '@hono/node-server';
import express from 'express';
import { fastify } from 'fastify';
import { Hono } from 'hono';
import type { Guard } from '../../../sdk/verify/src/verify.ts';

type Listener = (request: IncomingMessage, response: ServerResponse) => unknown;

/** GET /orders needs orders:read, POST needs orders:write; both answer with the identity that calls. */
export const FRAMEWORKS: Readonly<Record<string, (guard: Guard) => Listener | Promise<Listener>>> = {
  'node:http': (guard) => {
    const [read, write] = [guard.require('orders:read'), guard.require('orders:write')];
    return async (request, response) => {
      if (await (request.method === 'POST' ? write : read)(request, response))
        response.end(guard.caller(request).identity);
    };
  },
  express: (guard) => {
    const app = express();
    app.get(
      '/orders',
      guard.require('orders:read'),
      (request, response) => void response.send(guard.caller(request).identity),
    );
    app.post(
      '/orders',
      guard.require('orders:write'),
      (request, response) => void response.send(guard.caller(request).identity),
    );
    return app as unknown as Listener;
  },
  fastify: async (guard) => {
    const app = fastify();
    app.get('/orders', { preHandler: guard.require('orders:read') }, async (request) => guard.caller(request).identity);
    app.post(
      '/orders',
      { onRequest: guard.require('orders:write') },
      async (request) => guard.caller(request).identity,
    );
    await app.ready();
    return (request, response) => app.routing(request, response);
  },
  hono: (guard) => {
    const app = new Hono();
    app.get('/orders', guard.require('orders:read'), (c) => c.text(guard.caller(c).identity));
    app.post('/orders', guard.require('orders:write'), (c) => c.text(guard.caller(c).identity));
    return getRequestListener(app.fetch);
  },
};
