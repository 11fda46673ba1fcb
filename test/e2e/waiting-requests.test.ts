// When all places are taken: requests that wait for their callers.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect as connectHttp2 } from 'node:http2';
import { after, before, suite, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { canInspect } from '../../src/front/certificate-inspection.ts';
import { eventually } from '../eventually.ts';
import { callerOver, rawConnection, reachOf, tlsOptionsOf } from './caller.ts';
import { headersFrame, INITIAL_WINDOW_SIZE, requestFields, resetFrame, windowFrame } from './http2-frames.ts';
import { RawHttp2 } from './raw-http2.ts';
import { startService, type TestService } from './service.ts';
import { pairByCertificate, TOKEN, verify } from './steps.ts';

/** The pinned Node can. For others: docs/operators.md. */
const ONLY_WITH_C = !(await canInspect()) && `Node ${process.version} cannot set options of sockets`;

const POST = `POST ${TOKEN} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n`;

suite('requests that wait for their callers', () => {
  const PLACES = 8;
  /** One by one, and more: the last answer may not have left its place. */
  const BEGUN = 12;
  const LARGE = 2 ** 31 - 1;
  let service: TestService;

  before(async () => {
    service = await startService({
      settings: { limits: { maxInFlight: PLACES, addressShare: 100, requestTimeout: '5m' } },
    });
  });
  after(() => service.stop());

  const UNFINISHED: Readonly<Record<string, () => Promise<{ answered(): number; close(): void }>>> = {
    'HTTP/2': async () => {
      const session = connectHttp2(`https://127.0.0.1:${service.port}`, tlsOptionsOf(reachOf(service)));
      session.on('error', () => undefined);
      await once(session, 'remoteSettings');
      let answers = 0;
      for (let n = 0; n < BEGUN; n++) {
        await wait(20);
        const fields = { ':method': 'POST', ':path': TOKEN, 'content-type': 'application/json' };
        const stream = session.request(fields, { endStream: false }).on('error', () => undefined);
        stream.once('response', ({ ':status': status }) => (answers += Number(status === 400))).resume();
      }
      return { answered: () => answers, close: () => session.destroy() };
    },
    'HTTP/1.1': async () => {
      const sockets = await Promise.all(Array.from({ length: BEGUN }, () => rawConnection(reachOf(service))));
      let answers = 0;
      for (const socket of sockets) {
        socket
          .on('error', () => undefined)
          .on('data', (bytes) => (answers += Number(/^HTTP\/1.1 400/.test(`${bytes}`))));
        socket.write(`${POST}Content-Length: 10\r\n\r\n{`);
      }
      return { answered: () => answers, close: () => void sockets.map((socket) => socket.destroy()) };
    },
  };
  for (const [protocol, begin] of Object.entries(UNFINISHED))
    test(`leave their places to others if all are taken, and are told so (${protocol})`, async () => {
      const caller = callerOver('HTTP/1.1', reachOf(service, service.ada));
      const { access_token } = await pairByCertificate(caller);
      const unfinished = await begin();
      await eventually('all places are taken', async () => (await verify(caller, access_token)).status === 503);
      await eventually('there is a place', async () => (await verify(caller, access_token)).status === 200);
      await eventually('whoever left has its answer', () => unfinished.answered() > 0);
      unfinished.close();
      caller.close();
    });

  const UNREAD: Readonly<Record<string, (mute: RawHttp2, stream: number) => void>> = {
    'not read': () => undefined,
    'cancelled unread': (mute, stream) => mute.send(resetFrame(stream)),
  };
  for (const [what, then] of Object.entries(UNREAD))
    test(`end their connection if its answers are ${what}, and nothing of it is kept (HTTP/2)`, {
      skip: ONLY_WITH_C,
    }, async () => {
      const caller = callerOver('HTTP/1.1', reachOf(service, service.ada));
      const { access_token } = await pairByCertificate(caller);
      const mute = await RawHttp2.open(reachOf(service), { reads: false, settings: [[INITIAL_WINDOW_SIZE, LARGE]] });
      mute.send(windowFrame(0, LARGE - 65_535));
      const streams = Array.from({ length: BEGUN }, () => mute.nextStream());
      for (const stream of streams) mute.send(headersFrame(stream, requestFields('GET', '/docs/api')));
      const gauge = async (name: string) =>
        Number(new RegExp(`^${name} (\\d+)`, 'm').exec((await caller.ask({ path: '/metrics' })).text)?.[1]);
      await eventually('all places are taken', async () => (await gauge('tessera_requests_in_flight')) === PLACES);
      for (const stream of streams) then(mute, stream);
      await eventually('there is a place', async () => (await verify(caller, access_token)).status === 200);
      assert.equal(await gauge('tessera_connections'), 1);
      mute.close();
      caller.close();
    });
});
