import assert from 'node:assert/strict';
import { chmodSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { after, before, suite, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { reportToSystemd } from '../../src/serve/systemd.ts';
import { temporaryFolder } from '../temporary-folder.ts';

suite('reports to systemd', () => {
  const folder = temporaryFolder('notify');
  const sent = join(folder, 'sent');
  const path = process.env['PATH'];
  const complaints: unknown[] = [];
  const complain = (fault: unknown) => void complaints.push(fault);

  before(() => {
    const command = join(folder, 'systemd-notify');
    writeFileSync(command, `#!/bin/sh\necho "$@" >> ${sent}\n`);
    chmodSync(command, 0o755);
    process.env['PATH'] = `${folder}${delimiter}${path}`;
  });
  after(() => {
    process.env['PATH'] = path;
    rmSync(folder, { recursive: true });
  });

  async function lines(least: number): Promise<string[]> {
    for (;;) {
      const found = existsSync(sent) ? readFileSync(sent, 'utf8').trim().split('\n') : [];
      if (found.length >= least) return found;
      await pause(10);
    }
  }

  test('nothing is sent if systemd did not start the service', async () => {
    const systemd = reportToSystemd(async () => true, complain, {});
    systemd.ready();
    systemd.stopping();
    await pause(200);
    assert.equal(existsSync(sent), false);
  });

  test('ready, alive while the service says so, and stopping', async () => {
    let isAlive = true;
    const environment = { NOTIFY_SOCKET: '/run/systemd/notify', WATCHDOG_USEC: '100000' };
    const systemd = reportToSystemd(async () => isAlive, complain, environment);
    systemd.ready();
    const first = await lines(3);
    assert.deepEqual(first.slice(0, 3), ['READY=1', 'WATCHDOG=1', 'WATCHDOG=1']);
    isAlive = false;
    await pause(200);
    const silent = await lines(3);
    await pause(300);
    assert.equal((await lines(3)).length, silent.length, 'a service that hangs is silent');
    systemd.stopping();
    assert.equal((await lines(silent.length + 1)).at(-1), 'STOPPING=1');
    assert.deepEqual(complaints, []);
  });
});
