// Node's fetch cannot present a client certificate. Libraries have a hook for one that can.
import { Agent, request } from 'node:https';

export interface FetchOptions {
  readonly method: string;
  readonly headers: Record<string, string>;
  readonly body?: unknown;
}

export interface CertificateFetch {
  readonly fetch: (url: string, options: FetchOptions) => Promise<Response>;
  readonly close: () => void;
}

export function certificateFetch(own: { readonly cert: Buffer; readonly key: Buffer }): CertificateFetch {
  const agent = new Agent(own);
  const fetch: CertificateFetch['fetch'] = (url, { method, headers, body }) =>
    new Promise((resolve, reject) => {
      const sent = request(url, { method, headers, agent }, (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        const given = { status: response.statusCode ?? 0, headers: response.headers as Record<string, string> };
        response.on('end', () => resolve(new Response(Buffer.concat(chunks), given)));
      });
      sent.on('error', reject);
      sent.end(body instanceof URLSearchParams ? body.toString() : undefined);
    });
  return { fetch, close: () => agent.destroy() };
}
