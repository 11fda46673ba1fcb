// One refresh token, one successor, in parallel [threats: Refresh, revoke, device]. Across a process that is killed: exactly-once-killed.test.ts.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PROTOCOLS } from './caller.ts';
import { startService } from './service.ts';
import { type Pair, pairByCertificate, refresh, refreshed } from './steps.ts';

for (const protocol of PROTOCOLS) {
  test(`64 parallel refreshes of one token yield one pair, byte for byte (${protocol}) [spec-gaps: Refresh, exactly once]`, async () => {
    await using service = await startService();
    const caller = service.caller(service.ada, protocol);
    const { refresh_token } = await pairByCertificate(caller);
    const answers = await Promise.all(Array.from({ length: 64 }, () => refresh(caller, refresh_token)));
    const distinct = new Set(answers.map(({ status, text }) => `${status} ${text.replace(/"expires_in":\d+/, '')}`));
    assert.equal(distinct.size, 1, [...distinct].join('\n'));
    await refreshed(caller, answers[0]?.json as unknown as Pair);
  });
}
