// For machines that watch: is the process there, can it serve, how is it doing. No rate limits here.
import type { FastifyInstance } from 'fastify';
import { storyOf } from '../story.ts';
import type { Metrics } from './metrics.ts';

/** One thing that must hold for the service to serve. */
export interface ReadinessCheck {
  readonly name: string;
  readonly check: () => Promise<void>;
}

export interface OpsDoor {
  readonly checks: readonly ReadinessCheck[];
  readonly metrics: Metrics | undefined;
}

export function hangOps(app: FastifyInstance, { checks, metrics }: OpsDoor): void {
  app.addHook('onRequest', async (request) => {
    storyOf(request).operation = 'ops';
  });
  app.get('/healthz', async () => ({ status: 'ok' }));
  app.get('/readyz', async (_request, reply) => {
    const results = await Promise.all(checks.map(isHolding));
    const isReady = results.every(([, state]) => state === 'ok');
    return reply
      .code(isReady ? 200 : 503)
      .send({ status: isReady ? 'ok' : 'not ready', checks: Object.fromEntries(results) });
  });
  if (metrics)
    app.get('/metrics', async (_request, reply) =>
      reply.header('content-type', metrics.contentType).send(await metrics.text()),
    );
}

async function isHolding({ name, check }: ReadinessCheck): Promise<[string, string]> {
  try {
    await check();
    return [name, 'ok'];
  } catch {
    return [name, 'failing']; // why is for the log, not for whoever can reach this port
  }
}
