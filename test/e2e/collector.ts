// A receiver of OTLP over HTTP that checks everything it gets. It can be slow, refuse, or be gone.
import assert from 'node:assert/strict';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { parseExport, type ReceivedSpan } from './otlp-rules.ts';

/** What it replies: a status, 200 with some spans rejected, or nothing at all. */
export type Behaviour = number | { readonly rejects: number } | 'silence';

export interface Collector extends Disposable {
  close(): void;
  readonly endpoint: string;
  readonly bodies: readonly string[];
  readonly spans: readonly ReceivedSpan[];
  readonly resource: ReceivedSpan['attributes'];
  behaviour: Behaviour;
  requests: number;
  /** Waits until what arrived is enough. */
  until(enough: (spans: readonly ReceivedSpan[]) => boolean): Promise<void>;
}

const PATIENCE_MS = 20_000;

export async function startCollector(behaviour: Behaviour = 200): Promise<Collector> {
  const bodies: string[] = [];
  const spans: ReceivedSpan[] = [];
  let resource: ReceivedSpan['attributes'] = {};
  let mistake: unknown;
  const server = createServer((request, response) => void receive(request, response));
  const receive = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    collector.requests++;
    try {
      const body = await readBody(request);
      if (collector.behaviour === 'silence') return;
      if (typeof collector.behaviour === 'object' || collector.behaviour === 200) {
        const exported = parseExport(body);
        bodies.push(body);
        spans.push(...exported.spans);
        resource = exported.resource;
      }
    } catch (fault) {
      mistake = fault;
    }
    reply(response, collector.behaviour);
  };
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const close = () => {
    server.closeAllConnections();
    server.close();
  };
  const collector: Collector = {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/traces`,
    bodies,
    spans,
    get resource() {
      return resource;
    },
    behaviour,
    requests: 0,
    until: async (enough) => {
      for (const end = performance.now() + PATIENCE_MS; !enough(spans); await pause(20)) {
        if (mistake) throw mistake;
        assert.ok(performance.now() < end, `only ${spans.length} spans arrived`);
      }
      if (mistake) throw mistake;
    },
    close,
    [Symbol.dispose]: close,
  };
  return collector;
}

async function readBody(request: IncomingMessage): Promise<string> {
  assert.equal(request.method, 'POST');
  assert.equal(request.url, '/v1/traces');
  assert.equal(request.headers['content-type'], 'application/json');
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  return Buffer.concat(parts).toString();
}

function reply(response: ServerResponse, behaviour: Behaviour): void {
  const partial = typeof behaviour === 'object' ? { partialSuccess: { rejectedSpans: String(behaviour.rejects) } } : {};
  response.writeHead(typeof behaviour === 'number' ? behaviour : 200, { 'content-type': 'application/json' });
  response.end(JSON.stringify(partial));
}
