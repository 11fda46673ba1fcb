// The ops door: health, readiness and metrics, for machines that watch the service. It has no rate limits.
import type { FastifyInstance } from 'fastify';
import type { Door, DoorEntry } from '../door.ts';
import { NEUTRAL_REPLIES } from '../http/refusal-replies.ts';
import { recordOf } from '../http/request-record.ts';
import type { Metrics } from './metrics.ts';
import { opsPaths } from './openapi.ts';
import type { CheckResult, Readiness } from './readiness.ts';

export interface OpsParts {
  readonly readiness: Pick<Readiness, 'ask'>;
  readonly metrics: Metrics | undefined;
}

export function opsDoor({ name, segments }: DoorEntry, parts: OpsParts): Door {
  const paths = new RegExp(`^/(?:${segments.join('|')})/?(?:\\?|$)`, 'i');
  return {
    name,
    isMonitoring: true,
    owns: (url) => paths.test(url),
    // A listener that leaves `doors` out is usually the public one.
    mount: (app, { isNamed }) => mountOps(app, isNamed ? parts : { ...parts, metrics: undefined }),
    refusals: NEUTRAL_REPLIES,
    openapi: opsPaths(),
  };
}

export function mountOps(app: FastifyInstance, { readiness, metrics }: OpsParts): void {
  app.addHook('onRequest', async (request, reply) => {
    const record = recordOf(request);
    record.operation = 'ops';
    record.isMonitoring = true;
    reply.header('x-content-type-options', 'nosniff');
  });
  app.get('/healthz', async () => ({ status: 'ok' }));
  app.get('/readyz', async (_request, reply) => {
    const results = await readiness.ask();
    const isReady = results.every(({ problem }) => problem === undefined);
    return reply.code(isReady ? 200 : 503).send({ status: isReady ? 'ok' : 'not ready', ...shown(results) });
  });
  if (!metrics) return;
  app.addHook('onListen', async () => void (await metrics.registered()));
  app.get('/metrics', async (_request, reply) => {
    const { contentType } = await metrics.registered();
    return reply.header('content-type', contentType).send(await metrics.text());
  });
}

/** Details of a problem go to the log only, not to everyone who can reach this port. */
function shown(results: readonly CheckResult[]): { checks: object; reasons?: object } {
  const word = ({ problem, remark }: CheckResult) => (problem ? 'failing' : remark === undefined ? 'ok' : 'limited');
  const checks = Object.fromEntries(results.map((result) => [result.name, word(result)]));
  const reasons = results.flatMap(({ name, problem, remark }) => {
    const reason = problem?.reason ?? remark;
    return reason === undefined ? [] : [[name, reason]];
  });
  return reasons.length > 0 ? { checks, reasons: Object.fromEntries(reasons) } : { checks };
}
