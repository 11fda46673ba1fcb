import type { FastifyReply, FastifyRequest } from 'fastify';
import type { TraceParent } from '../core/trace-parent.ts';
import type { RequestRecord } from '../doors/http/request-record.ts';
import type { OpenSpan, Tracer } from '../tracing/tracer.ts';

const SPAN = Symbol('span of the request');
const ENTERED = Symbol('when its handler began');
type TracedRequest = FastifyRequest & { [SPAN]?: OpenSpan; [ENTERED]?: number };

export class RequestTraces {
  readonly #tracer: Tracer;

  constructor(tracer: Tracer) {
    this.#tracer = tracer;
  }

  /** Called when the body was read, before the handler. */
  enter(request: TracedRequest, parent: TraceParent | undefined, proceed: () => void): void {
    const span = this.#tracer.open(parent);
    request[SPAN] = span;
    request[ENTERED] = performance.now();
    if (span.isSampled) this.#tracer.within(span, proceed);
    else proceed();
  }

  /** Called once, when the request was answered or its caller is gone. Returns its span, for the log line. */
  leave(
    request: TracedRequest,
    reply: FastifyReply,
    record: RequestRecord,
    milliseconds: number,
    parent: TraceParent | undefined,
  ): OpenSpan | undefined {
    if (record.isMonitoring) return undefined;
    const span = request[SPAN] ?? this.#tracer.open(parent);
    if (span.isSampled) {
      const end = performance.now();
      const what = describe(request, reply, record);
      // Not after what happened inside it, even if the process was interrupted since `milliseconds` were counted.
      const start = Math.min(end - milliseconds, request[ENTERED] ?? end);
      this.#tracer.record(span, { ...what, kind: 'server', start, end });
    }
    return span;
  }
}

const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'OPTIONS', 'PATCH']);

/**
 * Names and attributes of https://opentelemetry.io/docs/specs/semconv/http/http-spans/, without the path and the address: a
 * caller who mistypes a path may have pasted a token there. The log line with this request's id has the address.
 */
function describe(request: FastifyRequest, reply: FastifyReply, record: RequestRecord) {
  const method = METHODS.has(request.method) ? request.method : '_OTHER';
  const route = request.is404 ? undefined : request.routeOptions.url;
  const shown = method === '_OTHER' ? 'HTTP' : method;
  const isFault = reply.statusCode >= 500;
  return {
    name: route === undefined ? shown : `${shown} ${route}`,
    attributes: {
      'http.request.method': method,
      'http.route': route,
      'http.response.status_code': reply.statusCode,
      'network.protocol.version': request.raw.httpVersionMajor > 1 ? '2' : request.raw.httpVersion,
      'tessera.request_id': request.id,
      'tessera.operation': record.operation,
      'tessera.outcome': record.outcome,
      'tessera.reason': record.reason,
      'tessera.client_id': record.clientId,
      'tessera.grant_id': record.grantId,
    },
    error: isFault ? (record.reason ?? String(reply.statusCode)) : undefined,
  };
}
