// What callers may use of the proxies, with the files of deploy/proxies. Caddy has no limits for one address.
// Only in test:all: each proxy
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { suite, test } from 'node:test';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import { eventually } from '../eventually.ts';
import { given } from '../given.ts';
import { callerOver, type Reach, reachOf, tlsOptionsOf } from './caller.ts';
import { type RunningProxy, SHIPPED_PROXIES, startProxy } from './proxies/proxy.ts';
import { startService } from './service.ts';
import { TOKEN } from './steps.ts';

/** In place of the 4,000 that the files allow. */
const MOST = 50;
const [ONE, OTHER] = ['127.0.0.1', '127.0.0.2'];

suite('one address', () => {
  const service = given(() => startService({ settings: { proxies: { addresses: [ONE] } }, listeners: [{}] }));

  const front = (name: 'nginx' | 'haproxy') =>
    startProxy(
      name,
      { ...service, nodes: [service.port] },
      { change: (text) => text.replace(/\b4000\b/, String(MOST)) },
    );

  test('gets 429 with Retry-After from nginx beyond its share of requests', async (t) => {
    const proxy = await front('nginx');
    t.after(() => proxy.stop());
    const reach = { ...reachOf(service), port: proxy.port };
    // More than enough: a question in between may take the slot of one.
    const held = Array.from({ length: MOST + 10 }, () => hold(reach));
    t.after(() => held.map((socket) => socket.destroy()));
    const caller = callerOver('HTTP/1.1', reach);
    t.after(() => caller.close());
    await eventually('the next is refused', async () => (await caller.ask({ path: '/readyz' })).status === 429);
    assert.equal((await caller.ask({ path: '/readyz' })).headers['retry-after'], '1');
    for (const socket of held.slice(0, 30)) socket.destroy();
    await eventually('another is served', async () => (await caller.ask({ path: '/readyz' })).status === 200);
  });

  test('is not let in by HAProxy beyond its share of connections, and others are', async (t) => {
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

test('a large body is forwarded where the service takes one, and refused elsewhere', async (t) => {
  await using service = await startService();
  const node = createServer((request, response) => {
    let length = 0;
    request.on('data', (piece: Buffer) => (length += piece.length)).on('error', () => undefined);
    request.on('end', () => response.end(String(length)));
  }).listen(0, ONE);
  await once(node, 'listening');
  t.after(async () => {
    node.close();
  });
  const body = ' '.repeat(2 * 1024 * 1024);
  for (const name of SHIPPED_PROXIES) {
    const proxy = await startProxy(name, { ...service, nodes: [(node.address() as AddressInfo).port] });
    const caller = callerOver('HTTP/1.1', { ...reachOf(service), port: proxy.port });
    t.after(() => {
      caller.close();
      return proxy.stop();
    });
    for (const path of ['/scim/v2/corp/Groups', '/admin/v1/apply', '/console/integrations']) {
      const answer = await caller.ask({ method: 'POST', path, body });
      assert.deepEqual([answer.status, answer.text], [200, String(body.length)], `${name} ${path}`);
    }
    const { status } = await caller.ask({ method: 'POST', path: TOKEN, body });
    assert.ok([413, 502].includes(status), `${name}: ${status}`); // 502: Caddy before 2.7
  }
});

test('a company of 2,000 programs behind one address may connect at once', () => {
  const limit = (file: string, found: RegExp) =>
    Number(found.exec(readFileSync(join(import.meta.dirname, '../../deploy/proxies', file), 'utf8'))?.[1]);
  for (const most of [
    limit('nginx/tessera.conf', /limit_conn +addresses (\d+);/),
    limit('haproxy/haproxy.cfg', /sc0_conn_cur gt (\d+)/),
  ])
    assert.ok(most > 2000 && most < 5000, `${most}: and not all of the connections`);
});

/** A request whose body never ends, so that it stays, also if it takes long to open all of them. */
function hold(reach: Reach): TLSSocket {
  const socket = connectTls(tlsOptionsOf(reach));
  socket.on('error', () => undefined).resume();
  socket.write(`POST ${TOKEN} HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\n`);
  const drip = setInterval(() => socket.write(' '), 3_000);
  socket.once('close', () => clearInterval(drip));
  return socket;
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
