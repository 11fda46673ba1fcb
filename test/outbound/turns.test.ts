// How many requests go to one host at a time, and in how many pieces a reply may come.
import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import type { ClientRequest } from 'node:http';
import { suite, test } from 'node:test';
import { boundReply } from '../../src/outbound/bound-reply.ts';
import { turnsOf } from '../../src/outbound/guarded-fetch.ts';

const never = new AbortController().signal;
const settle = () => new Promise((resolve) => setImmediate(resolve));

suite('turns', () => {
  /** Takes a turn; `leave` is set once it has come. */
  function wait(take: ReturnType<typeof turnsOf>, key = 'a', signal = never) {
    const turn: { leave?: () => void; refusal?: unknown } = {};
    take(key, signal).then(
      (leave) => Object.assign(turn, { leave }),
      (refusal: unknown) => Object.assign(turn, { refusal }),
    );
    return turn;
  }

  test('of one host are limited, come in order, and each is one, however often it is ended', async () => {
    const take = turnsOf(2);
    const [first, second, third, fourth, other] = [wait(take), wait(take), wait(take), wait(take), wait(take, 'b')];
    await settle();
    assert.ok(first.leave && second.leave && other.leave, 'another host has its own');
    assert.deepEqual([third.leave, fourth.leave], [undefined, undefined]);
    first.leave();
    first.leave();
    await settle();
    assert.ok(third.leave);
    assert.equal(fourth.leave, undefined);
    second.leave();
    third.leave();
    await settle();
    (fourth as { leave?: () => void }).leave?.();
    const [fifth, sixth, seventh] = [wait(take), wait(take), wait(take)];
    await settle();
    assert.ok(fifth.leave && sixth.leave && !seventh.leave, 'afterwards, as at the beginning');
  });

  test('that end without others waiting leave the limit as it is', async () => {
    const take = turnsOf(2);
    const [first, second] = [wait(take), wait(take)];
    await settle();
    first.leave?.();
    const [third, fourth] = [wait(take), wait(take)];
    await settle();
    assert.ok(third.leave && !fourth.leave);
    second.leave?.();
    await settle();
    assert.ok((fourth as { leave?: () => void }).leave);
  });

  test('that are given up leave the others in order', async () => {
    const take = turnsOf(1);
    const first = wait(take);
    const leaving = new AbortController();
    const second = wait(take, 'a', leaving.signal);
    const third = wait(take, 'a', leaving.signal);
    const fourth = wait(take);
    await settle();
    leaving.abort('gone');
    await settle();
    assert.deepEqual([second.refusal, third.refusal], ['gone', 'gone']);
    first.leave?.();
    await settle();
    assert.ok(fourth.leave);
  });

  test('that have come are not given up afterwards', async () => {
    const take = turnsOf(1);
    const leaving = new AbortController();
    const first = wait(take);
    const second = wait(take, 'a', leaving.signal);
    const third = wait(take);
    await settle();
    first.leave?.();
    await settle();
    leaving.abort();
    second.leave?.();
    await settle();
    assert.ok(third.leave, 'it is still in the queue');
  });
});

suite('a reply', () => {
  /** What a request and its reply look like to Node's listeners. */
  function replying() {
    const failures: string[] = [];
    const emitter = () => Object.assign(new EventEmitter(), { destroy: (why: Error) => failures.push(why.message) });
    const [request, response, socket] = [emitter(), emitter(), new EventEmitter()];
    boundReply(request as unknown as ClientRequest);
    request.emit('socket', socket);
    const send = (target: EventEmitter, count: number, bytes: number) => {
      for (let n = 0; n < count; n++) target.emit('data', Buffer.alloc(bytes));
      return failures.at(-1);
    };
    return { request, response, socket, failures, send };
  }

  const SMALL = 'it comes in more than 2000 pieces of a few bytes';

  test('may have 100 interim responses', () => {
    const { request, failures } = replying();
    for (let n = 0; n < 100; n++) request.emit('information');
    assert.deepEqual(failures, []);
    for (let n = 0; n < 10; n++) request.emit('information');
    assert.deepEqual(failures, ['it has more than 100 interim responses'], 'it fails once');
  });

  test('may come in 2000 pieces of any size, and in more of 256 bytes', () => {
    const small = replying();
    small.request.emit('response', small.response);
    assert.equal(small.send(small.response, 2000, 1), undefined);
    assert.equal(small.send(small.response, 1, 1), SMALL);
    const large = replying();
    large.request.emit('response', large.response);
    assert.equal(large.send(large.response, 10_000, 256), undefined);
    const smaller = replying();
    smaller.request.emit('response', smaller.response);
    assert.equal(smaller.send(smaller.response, 10_000, 255), SMALL);
  });

  test('may be read in as many pieces', () => {
    const { socket, send } = replying();
    assert.equal(send(socket, 2000, 1), undefined);
    assert.equal(send(socket, 1, 1), SMALL);
  });

  test('has a body of at least a quarter of what is sent, besides 128 KiB', () => {
    const { request, response, socket, send } = replying();
    request.emit('response', response);
    assert.equal(send(socket, 1, 128 * 1024), undefined);
    assert.equal(send(response, 1, 1000), undefined);
    assert.equal(send(socket, 1, 4000), undefined);
    assert.equal(send(socket, 1, 1), 'it has too little content');
  });

  test('that comes after the failure fails too, and its connection is free for the next request', () => {
    const { request, response, socket, failures } = replying();
    for (let n = 0; n < 101; n++) request.emit('information');
    request.emit('response', response);
    assert.equal(failures.length, 2);
    assert.equal(response.listenerCount('data'), 0);
    request.emit('error', new Error('later ones have a listener'));
    request.emit('close');
    assert.equal(socket.listenerCount('data'), 0);
  });
});
