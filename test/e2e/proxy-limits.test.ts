// What one address may use of nginx and HAProxy, with the files of deploy/proxies. Caddy has no such limits.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type ClientHttp2Session, connect as connectHttp2 } from 'node:http2';
import { connect, type Socket } from 'node:net';
import { after, before, suite, test } from 'node:test';
import { eventually } from '../eventually.ts';
import { callerOver, reachOf, tlsOptionsOf } from './caller.ts';
import { type RunningProxy, startProxy } from './proxies/proxy.ts';
import { startService, type TestService } from './service.ts';
import { TOKEN } from './steps.ts';

const MOST = 1000;
const [ONE, OTHER] = ['127.0.0.1', '127.0.0.2'];

suite('one address', () => {
  let service: TestService;
  before(async () => {
    service = await startService({ settings: { proxies: { addresses: [ONE] } }, listeners: [{}] });
  });
  after(() => service.stop());

  const front = async (name: 'nginx' | 'haproxy') => startProxy(name, { ...service, nodes: [service.port] });

  test('gets 429 with Retry-After from nginx beyond 1,000 requests at a time', async (t) => {
    const proxy = await front('nginx');
    t.after(() => proxy.stop());
    const reach = { ...reachOf(service), port: proxy.port };
    const sessions = Array.from({ length: 10 }, () =>
      connectHttp2(`https://localhost:${proxy.port}`, tlsOptionsOf(reach)),
    );
    t.after(() => sessions.map((session) => session.destroy()));
    await Promise.all(sessions.map((session) => hold(session, MOST / sessions.length)));
    const caller = callerOver('HTTP/1.1', reach);
    t.after(() => caller.close());
    await eventually('the next is refused', async () => (await caller.ask({ path: '/readyz' })).status === 429);
    assert.equal((await caller.ask({ path: '/readyz' })).headers['retry-after'], '1');
    sessions[0]?.destroy();
    await eventually('another is served', async () => (await caller.ask({ path: '/readyz' })).status === 200);
  });

  test('is not let in by HAProxy beyond 1,000 connections, and others are', async (t) => {
    const proxy = await front('haproxy');
    t.after(() => proxy.stop());
    const asked = Array.from({ length: MOST + 100 }, () => openTo(proxy, ONE));
    t.after(() => asked.map((socket) => socket.destroy()));
    const closed = () => asked.filter((socket) => socket.destroyed).length;
    await eventually('those beyond are closed', () => closed() >= 100);
    assert.ok(closed() < 110, `${closed()} were closed`);
    assert.equal(await isClosed(openTo(proxy, OTHER)), false);
  });
});

/** Requests whose bodies never come, so that they stay. */
async function hold(session: ClientHttp2Session, count: number): Promise<void> {
  session.on('error', () => undefined);
  await once(session, 'remoteSettings');
  for (let n = 0; n < count; n++)
    session.request({ ':method': 'POST', ':path': TOKEN, 'content-length': 10 }).on('error', () => undefined);
}

function openTo({ port }: RunningProxy, localAddress: string): Socket {
  return connect({ port, host: ONE, localAddress })
    .on('error', () => undefined)
    .resume();
}

/** A server says nothing before the caller does: it is open if it is silent for a while. */
async function isClosed(socket: Socket): Promise<boolean> {
  const closed = once(socket, 'close').then(() => true);
  const silent = new Promise<boolean>((resolve) => setTimeout(resolve, 500, false));
  return Promise.race([closed, silent]).finally(() => socket.destroy());
}
