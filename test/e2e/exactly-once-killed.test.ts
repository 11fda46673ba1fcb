// Across a process that is killed: one refresh token, one successor [threats: Refresh, revoke, device].
// Only in test:all: processes that are killed, and disks that are full
import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { type Caller, callerOver, PROTOCOLS } from './caller.ts';
import { startProcess } from './process.ts';
import { populatedHome } from './service.ts';
import { type Pair, pairByCertificate, refresh, refreshed, revoke, verify } from './steps.ts';

/** A running caller, and its answers in order. */
interface History {
  readonly acknowledged: Pair[];
  revoked: boolean;
}

async function work(caller: Caller, history: History): Promise<void> {
  for (;;) {
    const last = history.acknowledged.at(-1);
    const answer = last ? await refresh(caller, last.refresh_token) : undefined;
    if (answer && answer.status !== 200) throw new Error(answer.text);
    history.acknowledged.push((answer?.json as unknown as Pair) ?? (await pairByCertificate(caller)));
  }
}

async function workAndRevoke(caller: Caller, histories: History[]): Promise<void> {
  for (;;) {
    const history: History = { acknowledged: [await pairByCertificate(caller)], revoked: false };
    const pair = await refreshed(caller, history.acknowledged[0] as Pair);
    history.acknowledged.push(pair);
    history.revoked = (await revoke(caller, pair.access_token)).status === 200;
    histories.push(history);
  }
}

/** Enough was acknowledged in each round so far, however slow the machine. */
async function underLoad(histories: readonly History[], ended: readonly History[], rounds: number): Promise<void> {
  const isEnough = () =>
    histories.every(({ acknowledged }) => acknowledged.length > 10 * rounds) &&
    ended.filter(({ revoked }) => revoked).length > 3 * rounds;
  while (!isEnough()) await wait(20);
}

test('after kill -9 under load and a restart, nothing acknowledged is lost and nothing spent works again [threats: Refresh, revoke, device]', async (t) => {
  const home = await populatedHome({ log: { level: 'silent' } });
  t.after(() => rmSync(home.folder, { recursive: true, force: true, maxRetries: 20 }));
  const ada = home.authority.issue({ commonName: 'ada' });

  const histories: History[] = Array.from({ length: 8 }, () => ({ acknowledged: [], revoked: false }));
  const ended: History[] = [];
  for (let round = 0; round < 2; round++) {
    const killed = await startProcess(home);
    t.after(() => killed.kill());
    const caller = callerOver(PROTOCOLS[round % 2] ?? 'HTTP/2', {
      port: killed.port,
      ca: home.authority.pem,
      certificate: ada,
    });
    const atWork = [...histories.map((history) => work(caller, history)), workAndRevoke(caller, ended)];
    const settled = Promise.allSettled(atWork);
    await Promise.race([underLoad(histories, ended, round + 1), ...atWork]);
    await killed.kill();
    await settled; // each fails when its connection is cut
    caller.close();
  }

  const restarted = await startProcess(home);
  t.after(() => restarted.kill());
  const caller = callerOver('HTTP/2', { port: restarted.port, ca: home.authority.pem, certificate: ada });
  t.after(() => caller.close());
  assert.ok(
    histories.every(({ acknowledged }) => acknowledged.length > 5),
    'there was load',
  );
  assert.ok(ended.filter(({ revoked }) => revoked).length > 2);
  for (const { acknowledged } of histories) {
    for (const { access_token } of acknowledged.slice(-3))
      assert.equal((await verify(caller, access_token)).status, 200);
    const next = await refreshed(caller, acknowledged.at(-1) as Pair);
    const spent = acknowledged.at(-3) as Pair;
    assert.equal((await refresh(caller, spent.refresh_token)).status, 400, 'a spent token is reuse');
    assert.equal((await verify(caller, next.access_token)).status, 401, 'which ends the grant');
  }
  for (const { acknowledged } of ended.filter(({ revoked }) => revoked)) {
    for (const { access_token, refresh_token } of acknowledged) {
      assert.equal((await verify(caller, access_token)).status, 401, 'what was revoked stays revoked');
      assert.equal((await refresh(caller, refresh_token)).status, 400);
    }
  }
});
