// For machines that watch: is the process there, can it serve, how is it doing. No rate limits here.
import type { FastifyInstance } from 'fastify';
import { storyOf } from '../story.ts';
import type { ReadinessCheck } from './checks.ts';
import type { Metrics } from './metrics.ts';

export interface OpsDoor {
  readonly checks: readonly ReadinessCheck[];
  /** Why a check fails is for the log, not for whoever can reach this port. */
  readonly tellFailing: (check: string, fault: unknown) => void;
  readonly metrics: Metrics | undefined;
}

export function hangOps(app: FastifyInstance, { checks, tellFailing, metrics }: OpsDoor): void {
  app.addHook('onRequest', async (request, reply) => {
    storyOf(request).operation = 'ops';
    reply.header('x-content-type-options', 'nosniff');
  });
  app.get('/healthz', async () => ({ status: 'ok' }));
  app.get('/readyz', async (_request, reply) => {
    const results = await Promise.all(checks.map((check) => stateOf(check, tellFailing)));
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

async function stateOf(
  { name, check }: ReadinessCheck,
  tellFailing: OpsDoor['tellFailing'],
): Promise<[name: string, state: 'ok' | 'failing']> {
  try {
    await check();
    return [name, 'ok'];
  } catch (fault) {
    tellFailing(name, fault);
    return [name, 'failing'];
  }
}
