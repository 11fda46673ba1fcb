// For machines that watch: is the process there, can it serve, how is it doing. No rate limits here.
import type { FastifyInstance } from 'fastify';
import { storyOf } from '../server/story.ts';
import type { Metrics } from './metrics.ts';
import type { CheckResult, Readiness } from './readiness.ts';

export interface OpsDoor {
  readonly readiness: Pick<Readiness, 'look'>;
  readonly metrics: Metrics | undefined;
}

export function hangOps(app: FastifyInstance, { readiness, metrics }: OpsDoor): void {
  app.addHook('onRequest', async (request, reply) => {
    storyOf(request).operation = 'ops';
    reply.header('x-content-type-options', 'nosniff');
  });
  app.get('/healthz', async () => ({ status: 'ok' }));
  app.get('/readyz', async (_request, reply) => {
    const results = await readiness.look();
    const isReady = results.every(({ problem }) => problem === undefined);
    return reply.code(isReady ? 200 : 503).send({ status: isReady ? 'ok' : 'not ready', ...shown(results) });
  });
  if (metrics)
    app.get('/metrics', async (_request, reply) =>
      reply.header('content-type', metrics.contentType).send(await metrics.text()),
    );
}

/** The details of a problem are for the log, not for whoever can reach this port. */
function shown(results: readonly CheckResult[]): { checks: object; reasons?: object } {
  const checks = Object.fromEntries(results.map(({ name, problem }) => [name, problem ? 'failing' : 'ok']));
  const reasons = results.flatMap(({ name, problem }) => (problem ? [[name, problem.reason]] : []));
  return reasons.length > 0 ? { checks, reasons: Object.fromEntries(reasons) } : { checks };
}
