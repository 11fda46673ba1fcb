import type { Fetch } from '../outbound/download.ts';
import type { Tracer } from './tracer.ts';

/** Records requests to CRL and OCSP servers. Only the host: an OCSP request may be in the path. Servers of others get no `traceparent`. */
export function tracedFetch(fetch: Fetch, tracer: Tracer): Fetch {
  return async (url, init) => {
    const span = tracer.open(tracer.current);
    const start = performance.now();
    const method = init.method ?? 'GET';
    const end = (status: number | undefined, error?: string) => {
      const place = { 'http.request.method': method, 'server.address': URL.parse(url)?.host };
      const attributes = { ...place, 'http.response.status_code': status };
      tracer.record(span, { name: method, kind: 'client', start, end: performance.now(), attributes, error });
    };
    try {
      const fetched = await fetch(url, init);
      end(fetched.status, fetched.status >= 400 ? String(fetched.status) : undefined);
      return fetched;
    } catch (fault) {
      end(undefined, fault instanceof Error ? fault.name : 'Error');
      throw fault;
    }
  };
}
