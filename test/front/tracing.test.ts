import assert from 'node:assert/strict';
import { AsyncLocalStorage } from 'node:async_hooks';
import { test } from 'node:test';
import { Overloaded } from '../../src/core/faults.ts';
import { eventually } from '../eventually.ts';
import { http1To, openFront, requestTo } from './front.ts';

test('a request is traced from when its body has been read, and its handler is a part of that', async (t) => {
  const [span, seen] = [new AsyncLocalStorage<string>(), [] as unknown[]];
  const thrown = () => {
    seen.push(span.getStore());
    return new Overloaded();
  };
  const trace = ({ body }: { body?: unknown }, proceed: () => void) => {
    seen.push(`read: ${body}`);
    span.run('in the span', proceed);
  };
  const caller = await http1To(await openFront(t, {}, { thrown, trace }));
  caller.socket.write(`${requestTo('/throws')}${requestTo('/now', 'POST', 'Content-Length: 2\r\n')}{}`);
  await eventually('both are answered', () => caller.statuses().length === 2);
  assert.deepEqual(seen, ['read: undefined', 'in the span', 'read: {}']);
});
