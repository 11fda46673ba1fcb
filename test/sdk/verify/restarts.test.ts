// An API and the service, each in processes of its own, as sdk/verify/README.md says: the API starts first, both restart, and the
// service is away for an hour.
// Only in test:all: processes that are killed, and disks that are full
import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { FeedField } from '../../../lab/chaos/feed/feed-field.ts';
import { endGrant } from '../../../lab/chaos/feed/freshness.ts';
import { revoke } from '../../e2e/steps.ts';
import { eventually } from '../../eventually.ts';
import { type OwnProcess, startProcess } from '../own-process.ts';

const API = new URL('api-process.ts', import.meta.url);

interface Api {
  readonly process: OwnProcess;
  statuses(...tokens: readonly string[]): Promise<readonly number[]>;
}

let field: FeedField;
const apis: OwnProcess[] = [];
before(async () => {
  field = await FeedField.start('sqlite');
});
after(async () => {
  for (const api of apis) api.kill('SIGKILL');
  await field.remove();
});

async function startApi(options: object = {}): Promise<Api> {
  const process = startProcess(API, { options: { ...field.options, ...options }, hasClock: true });
  apis.push(process);
  const [port] = ((await process.next()) ?? []) as number[];
  if (port === undefined) assert.deepEqual(await process.ended, {}, 'it should have started');
  const statusOf = async (token: string) => {
    const headers = { authorization: `Bearer ${token}`, connection: 'close' };
    const answer = await fetch(`http://127.0.0.1:${port}/orders`, { headers });
    await answer.text();
    return answer.status;
  };
  return { process, statuses: (...tokens) => Promise.all(tokens.map(statusOf)) };
}

const pair = () => Promise.all([field.token('jwt'), field.token('opaque')]);
const isGood = async (api: Api, tokens: readonly string[]) =>
  (await api.statuses(...tokens)).every((each) => each === 200);

suite('an API and its service', { concurrency: 1 }, () => {
  test('the API starts first: 503 until the service is there, then it works without a restart', async () => {
    const tokens = await pair();
    await field.stopNodes('SIGKILL');
    const api = await startApi();
    assert.deepEqual(await api.statuses(...tokens), [503, 503]);
    await field.startNodes();
    await eventually('its calls are allowed', () => isGood(api, tokens));
  });

  test('both are killed and start at the same time: the API works, and refuses what ended meanwhile', async () => {
    const tokens = await pair();
    const ended = await field.token('jwt');
    const before = await startApi();
    assert.ok(await isGood(before, [...tokens, ended]));
    before.process.kill('SIGKILL');
    await field.stopNodes('SIGKILL');
    await endGrant(field, ended);
    const [api] = await Promise.all([startApi(), field.startNodes()]);
    await eventually('its calls are allowed', () => isGood(api, tokens));
    assert.deepEqual(await api.statuses(ended), [401]);
  });

  test('the service is away for an hour: each choice does what the README says, and the API finds the service again', async () => {
    const tokens = await pair();
    const [revoked, ended, unseen] = [await field.token('jwt'), await field.token('jwt'), await field.token('opaque')];
    const choices = ['refuse', 'trust-until-expiry'] as const;
    const [refusing, trusting] = await Promise.all(choices.map((onOutage) => startApi({ onOutage })));
    assert.ok(refusing && trusting);
    for (const api of [refusing, trusting]) assert.ok(await isGood(api, [...tokens, revoked, ended]));
    assert.equal((await revoke(field.caller, revoked)).status, 200);
    for (const api of [refusing, trusting])
      await eventually('it knows the revocation', async () => (await api.statuses(revoked))[0] === 401);
    await field.stopNodes('SIGKILL');
    await endGrant(field, ended);
    for (const { process } of [refusing, trusting]) process.kill('SIGUSR2');
    await eventually('an hour has passed', async () => (await refusing.statuses(tokens[0]))[0] === 503);
    assert.deepEqual(await refusing.statuses(...tokens, unseen, revoked), [503, 503, 503, 503]);
    // Keys are used for an hour.
    assert.deepEqual(await trusting.statuses(...tokens, unseen, revoked), [503, 200, 503, 503]);
    await field.startNodes();
    for (const api of [refusing, trusting]) {
      await eventually('its calls are allowed', () => isGood(api, [...tokens, unseen]));
      await eventually('what ended meanwhile is refused', async () => (await api.statuses(ended))[0] === 401);
      assert.deepEqual(await api.statuses(revoked), [401]);
    }
  });
});
