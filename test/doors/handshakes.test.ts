import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, Socket } from 'node:net';
import { beforeEach, suite, type TestContext, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { Handshakes } from '../../src/doors/server/handshakes.ts';

const STEP_MS = 20;
const HANDSHAKE_MS = 4;
/** Handshakes that begin at once. */
const BURST = 100;
/** Limit of connections and backlog of the listener. */
const LISTENS = [1000, 511];
const DROPS = [0, 0];

class Scene {
  readonly pressure = {
    isSaturated: false,
    keptShare: 0,
    handshakeMs: HANDSHAKE_MS,
    arrive: () => undefined,
    beginHandshake: () => undefined,
  };
  /** As the listener was last told. */
  backlog = 511;
  readonly listening = {
    maxConnections: 1000,
    _handle: { listen: (backlog: number) => Object.assign(this, { backlog }) },
  };
  readonly begun: string[] = [];
  readonly closed: string[] = [];
  readonly #timers: TestContext['mock']['timers'];
  #now = 0;
  readonly #handshakes: Handshakes;

  constructor({ mock }: TestContext, { queueMs = 120 } = {}) {
    this.#handshakes = new Handshakes(this.pressure, this.listening, queueMs, () => this.#now);
    mock.timers.enable({ apis: ['setInterval'] });
    this.#timers = mock.timers;
  }

  connect(name: string, address = '192.0.2.1'): void {
    const socket = { destroyed: false, destroy: () => this.closed.push(name) } as unknown as Socket;
    this.#handshakes.admit(socket, address, () => this.begun.push(name));
  }

  connectMany(count: number, address?: string): void {
    for (let at = 0; at < count; at++) this.connect(`${address ?? 'caller'} ${at}`, address);
  }

  get listener(): number[] {
    return [this.listening.maxConnections, this.backlog];
  }

  /** `late`: the event loop was busy, and took a single step. */
  pass(milliseconds: number, late = false): void {
    for (let passed = 0; passed < milliseconds; passed += late ? milliseconds : STEP_MS) {
      this.#now += late ? milliseconds : STEP_MS;
      this.#timers.tick(STEP_MS);
    }
  }
}

suite('handshakes', () => {
  let scene: Scene;
  beforeEach((t) => {
    scene = new Scene(t as TestContext);
  });

  test('begin at once, a hundred together; further ones wait', () => {
    scene.connectMany(BURST + 1);
    assert.equal(scene.begun.length, BURST);
    scene.pass(STEP_MS);
    assert.equal(scene.begun.length, BURST + 1);
    assert.deepEqual(scene.closed, []);
  });

  test('of callers that connect for every request get nearly all of the time', () => {
    scene.connectMany(BURST);
    scene.pressure.isSaturated = true; // by the handshakes themselves
    for (let passed = 0; passed < 900; passed += STEP_MS) {
      scene.connectMany(STEP_MS / HANDSHAKE_MS); // as many as there is time for
      scene.pass(STEP_MS);
    }
    const share = ((scene.begun.length - BURST) * HANDSHAKE_MS) / 900;
    assert.ok(share > 0.8 && share < 1, `${share} of the time`);
    assert.deepEqual(scene.closed, []);
  });

  test('begin after the event loop was blocked for over a second, as far as there was time for them', () => {
    scene.connectMany(BURST + 50);
    scene.pass(1500, true);
    assert.equal(scene.begun.length, BURST + 50);
    assert.deepEqual(scene.closed, []);
  });

  test('are not held back by their estimated cost while there is idle time', () => {
    scene.connectMany(BURST + 50);
    scene.pressure.handshakeMs = 1000;
    scene.pass(100);
    assert.equal(scene.begun.length, BURST + 50);
  });

  test('get a small share of the time while requests need the rest', () => {
    scene.connectMany(BURST + 80);
    Object.assign(scene.pressure, { isSaturated: true, keptShare: 0.9 });
    scene.pass(900);
    const share = ((scene.begun.length - BURST) * HANDSHAKE_MS) / 900;
    assert.ok(share > 0.01 && share < 0.0175, `${share} of the time`);
  });

  test('begin at once although requests need the time, if they were saved up: callers restart', () => {
    Object.assign(scene.pressure, { isSaturated: true, keptShare: 0.9 });
    scene.pass(1000);
    scene.connectMany(BURST);
    assert.equal(scene.begun.length, BURST);
  });

  test('get their share although a busy event loop takes its steps late', () => {
    scene.connectMany(BURST + 50);
    scene.pass(500, true);
    assert.equal(scene.begun.length, BURST + 50);
  });

  test('begin one address after another, the oldest of each first', () => {
    scene.connectMany(BURST);
    Object.assign(scene.pressure, { isSaturated: true, keptShare: 0.9 });
    for (const [name, address] of ['a1 a', 'a2 a', 'a3 a', 'b1 b'].map((text) => text.split(' ')))
      scene.connect(name as string, address as string);
    scene.pressure.handshakeMs = 1;
    scene.pass(280);
    assert.deepEqual(scene.begun.slice(BURST), ['a1', 'b1', 'a2', 'a3']);
  });

  test('begin with the newest if the oldest has waited for long', () => {
    scene.connectMany(BURST + 15);
    Object.assign(scene.pressure, { isSaturated: true, keptShare: 0.9 });
    scene.pass(600);
    scene.connect('newest');
    const before = scene.begun.length;
    scene.pass(280);
    assert.equal(scene.begun[before], 'newest');
  });

  for (const { queueMs, waitMs, name } of [
    { queueMs: 120, waitMs: 1000, name: 'that cannot begin within a second are closed' },
    { queueMs: 3000, waitMs: 3000, name: 'wait for as long as requests may wait, if that is longer' },
  ])
    test(name, (t) => {
      (t as TestContext).mock.timers.reset();
      scene = new Scene(t as TestContext, { queueMs });
      scene.connectMany(BURST + 80);
      Object.assign(scene.pressure, { isSaturated: true, keptShare: 0.9 });
      scene.pass(waitMs - 100);
      assert.deepEqual(scene.closed, []);
      scene.pass(200);
      assert.equal(scene.closed.length, BURST + 80 - scene.begun.length);
      assert.ok(scene.closed.length > 0);
    });

  test('cost no more than they do while requests cost much', () => {
    scene.connectMany(BURST + 80);
    Object.assign(scene.pressure, { isSaturated: true, keptShare: 0.9, handshakeMs: 50 });
    scene.pass(900);
    assert.equal(scene.begun.length, BURST + 2);
  });

  test('more than two fifths of those that may wait are closed at one address; other addresses may still wait', () => {
    scene.connectMany(BURST);
    scene.connectMany(84, '192.0.2.2');
    assert.equal(scene.closed.length, 4);
    scene.connect('other', '192.0.2.3');
    assert.equal(scene.closed.length, 4);
  });

  test('if three of one address were closed while requests need the time, the listener drops further ones for a while', () => {
    scene.connectMany(BURST);
    Object.assign(scene.pressure, { isSaturated: true, keptShare: 0.9 });
    scene.pass(100);
    scene.connectMany(18);
    assert.deepEqual(scene.listener, LISTENS);
    scene.connect('third');
    assert.deepEqual(scene.listener, DROPS);
    scene.pass(80);
    assert.deepEqual(scene.listener, DROPS);
    scene.pass(40);
    assert.deepEqual(scene.listener, LISTENS);
  });

  test('are never dropped for good: the listener listens again although nobody waits any more', () => {
    scene.connectMany(BURST);
    Object.assign(scene.pressure, { isSaturated: true, keptShare: 0.9 });
    scene.pass(100);
    scene.connectMany(19);
    assert.deepEqual(scene.listener, DROPS);
    Object.assign(scene.pressure, { isSaturated: false, keptShare: 0 });
    scene.pass(40); // all of them begin
    Object.assign(scene.pressure, { isSaturated: true, keptShare: 0.9 });
    scene.pass(200);
    assert.deepEqual(scene.listener, LISTENS);
  });

  test('of one address are closed, however many, while there is time for that', () => {
    scene.connectMany(BURST + 200);
    assert.deepEqual(scene.listener, LISTENS);
    assert.equal(scene.closed.length, 120);
  });

  for (const { keptShare, most } of [
    { keptShare: 0, most: 200 },
    { keptShare: 0.9, most: 40 },
  ])
    test(`while ${most} wait, the listener drops further ones, until half of them have begun, if requests take ${keptShare} of the time`, () => {
      scene.connectMany(BURST);
      Object.assign(scene.pressure, { isSaturated: true, keptShare });
      scene.pass(STEP_MS);
      for (const address of ['192.0.2.2', '192.0.2.3', '192.0.2.4']) scene.connectMany(Math.floor(most / 3), address);
      assert.deepEqual(scene.listener, LISTENS);
      scene.connectMany(8, '192.0.2.5');
      assert.deepEqual(scene.listener, DROPS);
      scene.pressure.keptShare = 0;
      scene.pass(most * 2 - 100);
      assert.deepEqual(scene.listener, DROPS);
      scene.pass(200);
      assert.deepEqual(scene.listener, LISTENS);
    });

  test('while the listener drops connections, the kernel ignores them, and they reach it later', async (t) => {
    (t as TestContext).mock.timers.reset();
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    (t as TestContext).after(() => server.close());
    server.maxConnections = 1000;
    const { port } = server.address() as AddressInfo;
    const handshakes = new Handshakes({ ...scene.pressure, isSaturated: true, keptShare: 0.9 }, server, 120);
    for (let at = 0; at < BURST + 40; at++) handshakes.admit(new Socket(), `192.0.2.${at}`, () => undefined);
    assert.equal(server.maxConnections, 0);
    const callers = Array.from({ length: 5 }, () => connect(port, '127.0.0.1').on('error', () => undefined));
    const connected = callers.map((caller) => once(caller, 'connect'));
    (t as TestContext).after(() => callers.forEach((caller) => void caller.destroy()));
    await pause(100); // all of them asked before the event loop could accept one
    const ignored = callers.filter((caller) => caller.connecting).length;
    assert.ok(ignored >= 4, `${ignored} of 5 ignored`); // the fifth as well where the kernel has no SYN cookies
    await Promise.all(connected);
  });
});
