// Requests to the service, as a server sees them. The answers are the test's own.
import assert from 'node:assert/strict';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { suite, type TestContext, test } from 'node:test';
import { settingsOf } from '../../../sdk/verify/src/options.ts';
import { CursorGone, Misconfigured, Service, Unavailable } from '../../../sdk/verify/src/service.ts';
import { eventually } from '../../eventually.ts';

const METADATA = '/.well-known/oauth-authorization-server';

/** `answer`: to all requests but for metadata. */
async function scene(t: TestContext, answer: RequestListener) {
  const server = createServer((request, response) => {
    if (request.url !== METADATA) return answer(request, response);
    const [introspection_endpoint, revocation_feed_endpoint, jwks_uri] = ['i', 'f', 'k'].map(
      (name) => `${issuer}/${name}`,
    );
    response.end(JSON.stringify({ issuer, introspection_endpoint, revocation_feed_endpoint, jwks_uri }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const resourceServer = { id: 'a:1', secret: 's/2', audience: 'urn:orders' };
  const service = new Service(settingsOf({ issuer, resourceServer }));
  t.after(() => {
    service.close();
    server.closeAllConnections();
    server.close();
  });
  await service.endpoints();
  return { issuer, service, server };
}

suite('a request', () => {
  test('has what its endpoint needs, and the proof only where it is needed', async (t) => {
    const seen: string[][] = [];
    const { service } = await scene(t, ({ method, url, headers }: IncomingMessage, response: ServerResponse) => {
      const { accept = '', authorization = '-', 'content-type': type = '-', 'cache-control': cache = '-' } = headers;
      seen.push([`${method} ${url}`, accept, authorization, type, cache, String(headers['last-event-id'] ?? '-')]);
      response.writeHead(200, { 'content-type': 'Text/Event-Stream; charset=utf-8' }).end('{}');
    });
    await service.keys();
    await service.introspect('tsa_1');
    await service.snapshot(undefined);
    await service.snapshot('p&2');
    (await service.follow('c1', new AbortController().signal)).response.destroy();
    const [json, basic] = ['application/json', `Basic ${btoa('a%3A1:s%2F2')}`];
    assert.deepEqual(seen, [
      ['GET /k', json, '-', '-', 'no-cache', '-'],
      ['POST /i', json, basic, 'application/x-www-form-urlencoded', '-', '-'],
      ['GET /f', json, basic, '-', '-', '-'],
      ['GET /f?page=p%262', json, basic, '-', '-', '-'],
      ['GET /f', 'text/event-stream', basic, '-', '-', 'c1'],
    ]);
  });

  test('waits while 64 others are under way', async (t) => {
    const held: ServerResponse[] = [];
    let [now, most] = [0, 0];
    const { service, issuer } = await scene(t, (_, response) => {
      most = Math.max(most, ++now);
      held.push(response);
    });
    const asked = Array.from({ length: 70 }, (_, n) => service.introspect(`tsa_${n}`));
    await eventually('they are under way', () => held.length >= 64);
    for (let turn = 0; turn < 3; turn++) await (await fetch(issuer + METADATA)).text(); // more would have arrived
    for (let answered = 0; answered < 70; answered++) {
      await eventually('there is a next one', () => held.length > 0);
      now -= 1;
      held.shift()?.end('{}');
    }
    await Promise.all(asked);
    assert.equal(most, 64);
  });

  test('that fails on a connection of an earlier one is sent again, once; others are not', async (t) => {
    let requests = 0;
    /** Which requests are answered. */
    let answered = [1];
    const { service } = await scene(t, ({ socket }, response) => {
      requests += 1;
      if (answered.includes(requests)) response.end('{}');
      else socket.destroy();
    });
    const asking = () =>
      service.introspect('tsa_1').then(
        () => requests,
        () => -requests,
      );
    assert.equal(await asking(), 1);
    assert.equal(await asking(), -3, 'on the connection of the first, then on one of its own');
    answered = [5, 7];
    assert.deepEqual([await asking(), await asking(), await asking()], [-4, 5, 7]);
  });

  test('waits 5 seconds for an answer, and 5 more for all of it', async (t) => {
    let arrived = Promise.withResolvers<void>();
    const { service } = await scene(t, ({ url }, response) => {
      if (url === '/k') arrived.resolve();
      else response.write('{');
    });
    const answered = () => arrived.resolve();
    subscribe('http.client.response.finish', answered);
    t.after(() => unsubscribe('http.client.response.finish', answered));
    for (const [ask, what] of [
      [() => service.keys(), /\/k: no answer in time/],
      [() => service.introspect('tsa_1'), /^no answer in time/],
    ] as const) {
      arrived = Promise.withResolvers<void>();
      t.mock.timers.enable({ apis: ['setTimeout'] });
      let fault: Error | undefined;
      const asking = ask().catch((error) => {
        fault = error;
      });
      await arrived.promise;
      for (const milliseconds of [0, 4_999]) {
        t.mock.timers.tick(milliseconds);
        for (let turn = 0; turn < 9; turn++) await new Promise(setImmediate);
        assert.equal(fault, undefined);
      }
      t.mock.timers.tick(1);
      t.mock.timers.reset();
      await asking;
      assert.ok(fault instanceof Unavailable);
      assert.match(fault.message, what);
    }
  });
});

suite('an answer', () => {
  test('of 16 MiB is taken, and no more', async (t) => {
    let length = 16 * 2 ** 20;
    const { service } = await scene(t, (_, response) => response.end(`{"pad":"${'x'.repeat(length - 10)}"}`));
    assert.ok((await service.introspect('tsa_1'))['pad']);
    length += 1;
    await assert.rejects(service.introspect('tsa_1'), { name: 'Unavailable', message: /too large/ });
  });

  test('that is no JSON object, or half of one, is none', async (t) => {
    let body = '';
    const { service } = await scene(t, (_, response) => {
      if (body === '{') response.writeHead(200, { 'content-length': '100' }).write(body, () => response.destroy());
      else response.end(body);
    });
    for (body of ['null', '7', '[]', '<html></html>', '{'])
      await assert.rejects(service.introspect('x'), Unavailable, body);
  });

  test('that is no success says what to do', async (t) => {
    let [status, type] = [0, 'text/plain'];
    const { service } = await scene(t, (_, response) => response.writeHead(status, { 'content-type': type }).end('{}'));
    const signal = new AbortController().signal;
    const [introspect, page, follow] = [
      () => service.introspect('x'),
      () => service.snapshot('p'),
      () => service.follow('c', signal),
    ];
    for (const [given, ask, fault, message] of [
      [
        401,
        introspect,
        Misconfigured,
        /answered 401\. Check resourceServer\.id and .*tessera resource-server secret ID/,
      ],
      [401, follow, Misconfigured, /answered 401\. Check/],
      [404, introspect, Unavailable, /answered 404\. If this lasts: check issuer/],
      [410, introspect, Unavailable, /\/i answered 410$/],
      [410, page, CursorGone, /^$/],
      [410, follow, CursorGone, /^$/],
      [503, follow, Unavailable, /\/f answered 503$/],
      [201, introspect, Unavailable, /\/i answered 201$/],
      [200, follow, Unavailable, /did not answer with a stream/],
    ] as const) {
      status = given;
      await assert.rejects(ask, (error) => {
        assert.ok(error instanceof fault, `${given}: ${error}`);
        assert.match(error.message, message);
        return true;
      });
    }
    [status, type] = [201, 'text/event-stream'];
    await assert.rejects(follow(), Unavailable);
  });
});

test('after close(), nothing is sent', async (t) => {
  const { service } = await scene(t, (_, response) => response.end('{}'));
  service.close();
  await assert.rejects(service.keys(), { name: 'Unavailable', message: 'the verifier was closed' });
});
