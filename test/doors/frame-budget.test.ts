import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import type { ServerHttp2Session } from 'node:http2';
import type { Socket } from 'node:net';
import { suite, test } from 'node:test';
import { FrameBudget } from '../../src/doors/server/frame-budget.ts';

const BODY = 64 * 1024;

function aBudget() {
  const session = Object.assign(new EventEmitter(), {
    destroyed: false,
    goaway: () => undefined,
    destroy: () => {
      session.destroyed = true;
    },
  });
  const socket = { bytesRead: 0, destroy: () => undefined };
  const budget = new FrameBudget(session as unknown as ServerHttp2Session, socket as unknown as Socket);
  let now = performance.now();
  return {
    budget,
    isEnded: () => session.destroyed,
    /** These bytes come, with so many requests in progress. */
    receive: (bytes: number, open: number) => {
      socket.bytesRead += bytes;
      now += 250;
      budget.look(now, open);
    },
  };
}

suite('what an HTTP/2 connection may send besides requests', () => {
  test('bodies may come late, as long as their requests are in progress', () => {
    const { budget, receive, isEnded } = aBudget();
    for (let n = 0; n < 10; n++) budget.request(BODY);
    receive(1000, 10);
    for (let n = 10; n > 0; n--) receive(BODY, n);
    assert.equal(isEnded(), false);
  });

  test('what earlier requests did not send is forfeited, also while another one is in progress', () => {
    const { budget, receive, isEnded } = aBudget();
    for (let n = 0; n < 100; n++) {
      budget.request(BODY);
      receive(100, 1);
    }
    receive(4 * BODY, 1);
    assert.equal(isEnded(), true);
  });

  test('a hundred streams with long headers may be opened before the caller learns that they are too many', () => {
    const { receive, isEnded } = aBudget();
    receive(100 * 1200, 0);
    assert.equal(isEnded(), false);
    receive(100 * 1200, 0);
    assert.equal(isEnded(), true);
  });
});
