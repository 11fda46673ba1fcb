// Two nodes behind each proxy of deploy/proxies: a stop fails no request, and a node that is not ready gets none.
// Only in test:all: each proxy
import assert from 'node:assert/strict';
import { renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { suite, type TestContext, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { Instance } from '../../lab/chaos/handover/instance.ts';
import { THIS_RELEASE } from '../../lab/chaos/handover/release.ts';
import { SteadyCallers } from '../../lab/chaos/handover/steady-callers.ts';
import { eventually } from '../eventually.ts';
import { freePort } from '../free-port.ts';
import { callerOver, rawConnection, reachOf, readToEnd } from './caller.ts';
import { KINDS, type ProxyName, SHIPPED_PROXIES, startProxy } from './proxies/proxy.ts';
import { populatedHome, type SetUp, startService, type TestService } from './service.ts';
import { VERIFY } from './steps.ts';

/** Longer than the interval of health checks: the proxy must have seen that the other node is back. */
const BETWEEN_MS = 2_500;
/** nginx has no health checks: it notices failed connections only. */
const CHECKING = SHIPPED_PROXIES.filter((name) => name !== 'nginx');

function behind(name: ProxyName): SetUp {
  const proxies = { addresses: ['127.0.0.1'], clientCertificateHeader: KINDS[name].header };
  return { listeners: [{}], settings: { proxies, limits: { stopNotice: '3s', drainIdle: '5s' } } };
}

for (const name of SHIPPED_PROXIES)
  suite(`two nodes behind ${name}, with the file of deploy/proxies`, () => {
    test('no request fails while each node stops and starts under load', async (t) => {
      const home = await populatedHome(behind(name));
      const ports = [await freePort(), await freePort()];
      const start = (port: number) => Instance.start(THIS_RELEASE, home, ['--set', `listeners.0.port=${port}`]);
      const nodes = await Promise.all(ports.map(start));
      t.after(async () => {
        await Promise.all(nodes.map((node) => node.stop()));
        rmSync(home.folder, { recursive: true, force: true });
      });
      await using proxy = await startProxy(name, { ...home, nodes: ports });
      const certificate = home.authority.issue({ commonName: 'ada' });
      const reach = { port: proxy.port, ca: home.authority.pem, certificate };
      const callers = new SteadyCallers([reach], ['HTTP/1.1'], 40);
      t.after(() => callers.abandon());
      await callers.begun();
      for (const [index, port] of ports.entries()) {
        await pause(BETWEEN_MS);
        await nodes[index]?.stop();
        nodes[index] = await start(port);
      }
      await pause(BETWEEN_MS);
      assert.equal(await callers.stop(), 0, 'grants that were lost');
      assert.deepEqual({ failures: callers.failures, again: callers.again }, { failures: [], again: 0 });
    });

    test('a request that is under way survives a reload of the proxy', async () => {
      await using service = await startService(behind(name));
      await using proxy = await startProxy(name, { ...service, nodes: [service.port] });
      const socket = await rawConnection({ ...reachOf(service), port: proxy.port });
      const body = '{"client_id":"nobody"}';
      socket.write(`POST /authsvc/Authorize/Token HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n`);
      socket.write(`Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body.slice(0, 5)}`);
      await pause(200);
      await proxy.reload();
      await pause(500);
      socket.write(body.slice(5));
      assert.match(await readToEnd(socket), /^HTTP\/1.1 400 [\s\S]*invalid_/);
      const caller = callerOver('HTTP/1.1', { ...reachOf(service), port: proxy.port });
      await eventually('it serves again', async () => (await caller.ask({ path: '/readyz' })).status === 200);
      caller.close();
    });
  });

for (const name of CHECKING)
  test(`${name} sends nothing to a node that is not ready, until it is ready again`, async (t) => {
    const [first, second] = [await startService(behind(name)), await startService(behind(name))];
    t.after(() => Promise.all([first.stop(), second.stop()]));
    await using proxy = await startProxy(name, { ...first, nodes: [first.port, second.port] });
    const ask = asker(t, { ...reachOf(first), port: proxy.port });
    await eventually('both nodes serve', async () =>
      (await servedBy([first, second], ask)).every((count) => count > 0),
    );
    const database = join(first.folder, 'tessera.db');
    renameSync(database, `${database}.away`);
    await eventually('the first node gets nothing', async () => (await servedBy([first, second], ask))[0] === 0);
    renameSync(`${database}.away`, database);
    await eventually('it serves again', async () => ((await servedBy([first, second], ask))[0] ?? 0) > 0);
  });

function asker(t: TestContext, reach: Parameters<typeof callerOver>[1]): () => Promise<unknown> {
  const caller = callerOver('HTTP/1.1', reach);
  t.after(() => caller.close());
  return () => caller.ask({ path: VERIFY });
}

/** How many of twenty requests each node served. */
async function servedBy(services: readonly TestService[], ask: () => Promise<unknown>): Promise<number[]> {
  const before = services.map(linesOf);
  for (let request = 0; request < 20; request++) await ask();
  return services.map((service, index) => linesOf(service) - (before[index] ?? 0));
}

function linesOf({ logLines }: TestService): number {
  return logLines.filter((line) => line.includes('"operation":"verify"')).length;
}
