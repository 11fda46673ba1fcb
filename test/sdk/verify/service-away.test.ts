// An API that starts while the service is away, in a process of its own: it starts, answers 503, and works when the service is
// there. And a program that only checks a token: it gets an answer, and ends.
// Only in test:all: processes that are killed, and disks that are full
import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { eventually } from '../../eventually.ts';
import { freePort } from '../../free-port.ts';
import { type Gate, OUTAGES, startGate } from '../outages.ts';
import { type OwnProcess, startProcess } from '../own-process.ts';
import { FRAMEWORKS } from './framework-apis.ts';
import { FORMATS, type ProtectedApi, startProtected } from './protected-api.ts';

const API = new URL('api-process.ts', import.meta.url);
const CHECK = new URL('check-process.ts', import.meta.url);

suite('while the service is away', { concurrency: true }, () => {
  for (const [outage, standIn] of Object.entries(OUTAGES))
    suite(`it ${outage}`, { concurrency: 1 }, () => {
      let service: ProtectedApi;
      let gate: Gate;
      let tokens: readonly string[];
      let api: OwnProcess;
      before(async () => {
        const publicPort = await freePort();
        service = await startProtected(publicPort);
        gate = await startGate(publicPort, standIn(service), service);
        tokens = await Promise.all(FORMATS.map((format) => service.token(format)));
        api = startProcess(API, { options: service.options });
      });
      after(async () => {
        api.kill('SIGKILL');
        await gate.close();
        await service.stop();
      });

      /** What a program prints that checks each token, and how it ends. */
      const checkAll = () =>
        Promise.all(
          tokens.map(async (token) => {
            const child = startProcess(CHECK, { options: service.options, token });
            const printed = await child.next();
            return [printed, withoutNotices(await child.ended)];
          }),
        );
      const END = { code: 0, errors: '' };

      test('a program that checks a token learns that, and ends without close()', async () => {
        assert.deepEqual(await checkAll(), [
          ['unavailable', END],
          ['unavailable', END],
        ]);
      });

      let calls: readonly { readonly port: number; readonly token: string }[];
      const statuses = () => Promise.all(calls.map(statusOf));

      test('an API starts, and answers 503 on each framework', async () => {
        const ports = (await api.next()) as number[] | undefined;
        if (!ports) assert.deepEqual(await api.ended, {}, 'it should have started');
        calls = (ports ?? []).flatMap((port) => tokens.map((token) => ({ port, token })));
        assert.equal(calls.length, Object.keys(FRAMEWORKS).length * FORMATS.length);
        assert.deepEqual(
          await statuses(),
          calls.map(() => 503),
        );
      });

      suite('and is there later', { concurrency: 1 }, () => {
        before(() => gate.open());

        test('the API works, and ends after close()', async () => {
          await eventually('every call is allowed', async () => (await statuses()).every((status) => status === 200));
          api.kill('SIGTERM');
          assert.deepEqual(withoutNotices(await api.ended), END);
        });

        test('a program that checks a token learns that it is good, and ends without close()', async () => {
          assert.deepEqual(await checkAll(), [
            ['allowed', END],
            ['allowed', END],
          ]);
        });
      });
    });
});

/** Those of an API without an `onNotice`, as warnings of the process. */
function withoutNotices<E extends { errors: string }>(end: E): E {
  return {
    ...end,
    errors: end.errors.replaceAll(/^\(node:\d+\) TesseraWarning: .*\n|^\(Use `node --trace-warnings.*\n/gm, ''),
  };
}

async function statusOf({ port, token }: { port: number; token: string }): Promise<number> {
  const headers = { authorization: `Bearer ${token}`, connection: 'close' };
  const answer = await fetch(`http://127.0.0.1:${port}/orders`, { headers });
  await answer.text();
  return answer.status;
}
