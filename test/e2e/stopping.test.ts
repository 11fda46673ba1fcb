// A stop loses no request: open connections are served once more, then closed.
import assert from 'node:assert/strict';
import { connect as connectHttp2 } from 'node:http2';
import { suite, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { freePort } from '../free-port.ts';
import { PROTOCOLS, rawConnection, reachOf, readToEnd, tlsOptionsOf } from './caller.ts';
import { startService } from './service.ts';
import { pairByCertificate, refreshed, VERIFY, verify } from './steps.ts';

const PATIENT = { settings: { limits: { drainIdle: '30s', stopTimeout: '60s' } } };

suite('stopping', () => {
  for (const protocol of PROTOCOLS) {
    test(`a request on an idle connection is served after the stop began (${protocol})`, async () => {
      await using service = await startService(PATIENT);
      const caller = service.caller(service.ada, protocol);
      const pair = await pairByCertificate(caller);
      const began = performance.now();
      const stopped = service.stop();
      await wait(200);
      const next = await refreshed(caller, pair);
      assert.ok(next.refresh_token);
      await stopped;
      assert.ok(performance.now() - began < 20_000, 'then the connection is closed, and the stop does not wait longer');
      await assert.rejects(verify(caller, next.access_token), 'nobody listens any more');
      caller.close();
    });

    test(`connections that stay idle are closed after drainIdle (${protocol})`, async () => {
      const service = await startService({ settings: { limits: { drainIdle: '1s', stopTimeout: '60s' } } });
      const caller = service.caller(service.ada, protocol);
      await pairByCertificate(caller);
      const began = performance.now();
      await service.stop();
      const took = performance.now() - began;
      assert.ok(took >= 990 && took < 30_000, `${took} ms`);
      caller.close();
    });
  }

  test('where /readyz is watched, it fails first, and new connections are served meanwhile', async () => {
    await using service = await startService({ settings: { limits: { stopNotice: '2s' } } });
    const ask = async (path: string) => {
      const caller = service.caller(service.ada);
      const { status, text } = await caller.ask({ path });
      caller.close();
      return { status, text };
    };
    assert.equal((await ask('/readyz')).status, 200);
    const began = performance.now();
    const stopped = service.stop();
    const { status, text } = await ask('/readyz');
    assert.equal(status, 503);
    assert.match(text, /"service":"failing".*this node is stopping/);
    assert.equal((await ask('/healthz')).status, 200);
    assert.equal((await ask(VERIFY)).status, 401);
    await stopped;
    assert.ok(performance.now() - began >= 1_990, 'the listener stayed open for stopNotice');
    await assert.rejects(ask('/healthz'), 'nobody listens any more');
  });

  test('where nobody watches /readyz, a stop does not wait for stopNotice', async () => {
    const service = await startService({ settings: { limits: { stopNotice: '60s' } } });
    const began = performance.now();
    await service.stop();
    assert.ok(performance.now() - began < 30_000);
  });

  test('over HTTP/1.1 the response says Connection: close, behind pipelined ones too', async () => {
    await using service = await startService(PATIENT);
    const socket = await rawConnection(reachOf(service));
    const request = `GET ${VERIFY} HTTP/1.1\r\nHost: x\r\n\r\n`;
    socket.write(request.slice(0, 20));
    await wait(100);
    const stopped = service.stop();
    await wait(50);
    socket.write(request.slice(20) + request.repeat(2));
    const text = await readToEnd(socket);
    await stopped;
    assert.equal(text.match(/HTTP\/1.1 401 /g)?.length, 3, text);
    assert.equal(text.match(/^connection: close\r$/gim)?.length, 1);
    assert.match(text.slice(text.lastIndexOf('HTTP/1.1 401')), /^connection: close\r$/im, 'on the last response');
  });

  test('over HTTP/2 GOAWAY arrives before the response', async () => {
    await using service = await startService(PATIENT);
    const reach = reachOf(service);
    const session = connectHttp2(`https://127.0.0.1:${reach.port}`, tlsOptionsOf(reach));
    await new Promise((resolve) => session.once('connect', resolve));
    const stopped = service.stop();
    const seen: string[] = [];
    session.on('goaway', (code) => seen.push(`GOAWAY ${code}`));
    const stream = session.request({ ':path': '/healthz' });
    stream.on('response', (headers) => seen.push(`response ${headers[':status']}`)).resume();
    await stopped;
    assert.deepEqual(seen, ['GOAWAY 0', 'response 200']);
    session.destroy();
  });

  test('a second process may listen on a shared port, and takes the callers over', async (t) => {
    const port = await freePort();
    const shared = { ...PATIENT, listeners: [{ tls: true, port, sharePort: true }] };
    const [first, second] = [await startService(shared), await startService(shared)];
    t.after(() => Promise.all([first.stop(), second.stop()]));
    await first.stop();
    const caller = second.caller(second.ada, 'HTTP/2');
    await pairByCertificate(caller);
    caller.close();
    const alone = { ...PATIENT, listeners: [{ tls: true, port }] };
    await assert.rejects(startService(alone), /EADDRINUSE/, 'but not without the setting');
  });
});
