// What operators learn from the admin door: refusals, requests, events and grants; and what is applied over it.
import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { suite, test } from 'node:test';
import { RefusalCounts } from '../../src/operations/upkeep/count-refusals.ts';
import { writePem } from '../../src/pki/der/pem.ts';
import type { Store } from '../../src/store/store.ts';
import { type RefusalCount, refusalCounts } from '../../src/store/tables/figures.ts';
import { eventually } from '../eventually.ts';
import { given, prepare } from '../given.ts';
import { ADA } from '../samples.ts';
import { AdminScene, BACK_END } from './admin-scene.ts';
import { postForm } from './oauth-steps.ts';
import { registryFollows } from './registry-follows.ts';

const scene = given(() => AdminScene.open({}, BACK_END));
let token: string;

async function ask(method: string, path: string, body?: unknown) {
  const answer = await scene.ask(token, method, path, { body });
  assert.ok(answer.status < 300, `${method} ${path}: ${answer.text}`);
  return answer.json;
}

async function items(path: string): Promise<Record<string, unknown>[]> {
  return (await ask('GET', path))['items'] as Record<string, unknown>[];
}

prepare(async () => {
  token = await scene.token('olga');
});

suite(`what operators learn, on ${BACK_END}`, () => {
  const refused = async (client_id: string, scope: string) => {
    const fields = { client_id, scope, grant_type: 'client_credentials' };
    const answer = await postForm(scene.caller('ada'), '/oauth2/token', fields);
    assert.ok(answer.status >= 400, answer.text);
    return String(answer.headers['request-id']);
  };

  test('refusals are counted by integration, identity and reason; names that callers made up are not', async () => {
    const counts = new RefusalCounts(scene.service.ports);
    const refusal = { clientId: 'orders-sync', identityId: 'x', reason: 'scope-exceeds-integration' };
    for (const requestId of ['1', '2']) counts.count({ ...refusal, requestId });
    for (let at = 0; at < 2000; at++)
      counts.count({ clientId: `made-up-${at}`, reason: 'integration-unknown', requestId: `${at}` });
    await counts.flush();
    counts.count({ ...refusal, requestId: '3' });
    await counts.flush();
    const [row] = await items('/refusals?reason=scope-exceeds-integration');
    const { first: _, last: __, ...told } = row ?? {};
    assert.deepEqual(told, { ...refusal, count: 3, lastRequestId: '3' });
    assert.deepEqual(
      (await items('/refusals?reason=integration-unknown')).map(({ clientId, count }) => [clientId, count]),
      [['', 2000]],
    );
  });

  test('what was refused can be found beside the store within seconds; only a flood waits for the minute', async () => {
    const counts = new RefusalCounts(scene.service.ports);
    const refuse = (reason: string) =>
      counts.count({ clientId: 'orders-sync', identityId: 'x', reason, requestId: 'r' });
    const found = async (reason: string) => (await items(`/refusals?reason=${reason}`)).length;
    refuse('identity-disabled');
    await counts.flushFew();
    assert.deepEqual([counts.unwritten.length, await found('identity-disabled')], [0, 1]);
    for (let at = 0; at < 30; at++) counts.count({ identityId: `x${at}`, reason: 'rate-limited', requestId: 'r' });
    await counts.flushFew();
    assert.equal(counts.unwritten.length, 30);
    await counts.flush();
    assert.deepEqual([counts.unwritten.length, await found('rate-limited')], [0, 30]);
  });

  test('the last certificate of a reason is kept, and one that an issuer signed is not hidden by others', async () => {
    const counts = new RefusalCounts(scene.service.ports);
    const refusal = { clientId: 'orders-sync', reason: 'certificate-issuer-not-approved', requestId: '1' };
    const seen = async () => (await items(`/refusals?reason=${refusal.reason}`)).map((row) => row['claimed']);
    counts.count({ ...refusal, claimed: { subject: 'CN=a', serial: undefined, label: undefined } });
    counts.count({ ...refusal, claimed: { subject: 'CN=b', serial: '0b' } });
    await counts.flush();
    assert.deepEqual(await seen(), [{ subject: 'CN=b', serial: '0b', requestId: '1' }]);
    counts.count({ ...refusal, claimed: { subject: 'CN=c', label: 'corp' } });
    const subjects = async (id: string) => {
      const { refusals } = (await ask('GET', `/explain/requests/${id}`)) as { refusals: RefusalCount[] };
      return refusals.map((row) => row.claimed?.subject);
    };
    await counts.flush();
    assert.deepEqual(await subjects('1'), ['CN=c']);
    counts.count({ ...refusal, requestId: '2', claimed: { subject: 'CN=d' } });
    counts.count({ ...refusal, requestId: '2' });
    await counts.flush();
    assert.deepEqual(await seen(), [{ subject: 'CN=c', label: 'corp', requestId: '1' }]);
    assert.deepEqual(await subjects('2'), [undefined], 'it was another request that sent this one');
  });

  test('many identities are counted together once there are too many rows', async () => {
    const counts = new RefusalCounts(scene.service.ports);
    for (let round = 0; round < 5; round++) {
      for (let at = 0; at < 600; at++)
        counts.count({ identityId: `${round}-${at}`, reason: 'grant-revoked', requestId: 'r' });
      await counts.flush();
    }
    const rows = await items('/refusals?reason=grant-revoked');
    assert.ok(rows.length <= 2001, `${rows.length} rows`);
    assert.equal(
      rows.reduce((sum, { count }) => sum + Number(count), 0),
      3000,
    );
    const { store } = scene.service.ports;
    assert.ok((await store.sweep(refusalCounts, (scene.service.now() + 40 * 86_400) as never, 5000)) > 1000, 'swept');
  });

  test('a request id leads to its events and its refusal', async () => {
    const requestId = await refused('orders-sync', 'orders:everything');
    await eventuallyCounted(requestId);
    const changed = await scene.ask(token, 'PUT', '/integrations/traced', { body: { scope: 'a:read' } });
    assert.equal(changed.status, 201);
    const [{ requestId: known } = {}] = await items('/events?type=administered&limit=1');
    const { events } = (await ask('GET', `/explain/requests/${known}`)) as { events: object[] };
    assert.equal(events.length, 1);
    assert.ok(scene.service.logLines.some((line) => line.includes(String(known)) && line.includes('integration-put')));
    assert.deepEqual(await ask('GET', '/explain/requests/0000000000000000'), { events: [], refusals: [] });
  });

  /** Before it is written: at the latest when the line of the request is. */
  function eventuallyCounted(requestId: string): Promise<void> {
    return eventually('the refusal is counted', async () => {
      const { refusals } = (await ask('GET', `/explain/requests/${requestId}`)) as { refusals: object[] };
      return refusals.length === 1;
    });
  }

  test('the newest events come page by page, by type and identity', async () => {
    for (let at = 0; at < 5; at++) await ask('PUT', `/integrations/paged-${at}`, { scope: 'a:read' });
    const seen: unknown[] = [];
    for (let before = ''; ; ) {
      const page = await ask('GET', `/events?type=administered&limit=2${before}`);
      seen.unshift(...(page['items'] as { clientId: string }[]).map(({ clientId }) => clientId));
      if (page['next'] === undefined) break;
      before = `&before=${String(page['next'] as string)}`;
    }
    assert.deepEqual(
      seen.filter((id) => String(id).startsWith('paged-')),
      [0, 1, 2, 3, 4].map((at) => `paged-${at}`),
    );
    assert.deepEqual(await items('/events?identity=vera'), []);
  });

  test('grants are found by serial number, key, address and time', async () => {
    await scene.token('ada', 'orders:read', 'orders-sync');
    const [grant] = await items('/grants?integration=orders-sync');
    const serial = scene.certificateOf('ada').serialNumber;
    const filters = [
      `certificate=${serial}`,
      `certificate=${grant?.['certificateKey']}`,
      'address=127.0.0.1',
      'since=60',
    ];
    for (const filter of filters)
      assert.deepEqual(
        (await items(`/grants?integration=orders-sync&${filter}`)).map(({ id }) => id),
        [grant?.['id']],
        filter,
      );
    for (const filter of ['address=192.0.2.1', 'until=60'])
      assert.deepEqual(await items(`/grants?integration=orders-sync&${filter}`), [], filter);
    const unknown = await scene.ask(token, 'GET', '/grants?certificate=0badcafe');
    assert.equal(unknown.json['reason'], 'certificate-unknown');
  });

  test('keys and secrets of integrations are made, listed and ended from elsewhere', async () => {
    await ask('PUT', '/integrations/keyed', { scope: 'a:read', flows: { secret: true } });
    const { publicKey } = generateKeyPairSync('ed25519');
    const file = publicKey.export({ type: 'spki', format: 'pem' });
    const { keys } = (await ask('POST', '/integrations/keyed/keys', { file })) as { keys: string[] };
    assert.equal(keys.length, 1);
    assert.equal((await items('/integrations/keyed/keys'))[0]?.['kid'], keys[0]);
    await ask('POST', '/integrations/keyed/secrets?endsIn=60');
    const shown = await ask('PUT', '/integrations/keyed', { scope: 'a:read', flows: { secret: true }, name: 'Keyed' });
    assert.deepEqual([shown['keys'], (shown['secrets'] as object[]).length], [keys, 1], 'a change keeps them');
    await ask('DELETE', '/integrations/keyed/secrets?all=true');
    const ended = await ask('DELETE', `/integrations/keyed/keys?key=${keys[0]}`);
    assert.deepEqual([ended['keys'], ended['secrets']], [undefined, []]);
  });

  test('owners may log in as soon as they own something: one commit', async () => {
    await ask('PUT', '/integrations/owned', { scope: 'a:read', owners: ['new-team'] });
    const { access } = (await ask('GET', '/integrations/tessera-cli')) as { access: { groups: string[] } };
    assert.ok(access.groups.includes('new-team'));
    const page = (await ask('GET', '/events?type=administered&limit=2'))['items'] as Record<string, unknown>[];
    assert.equal(page[0]?.['requestId'], page[1]?.['requestId']);
    assert.deepEqual(
      page.map(({ clientId }) => String(clientId)).sort((a, b) => (a < b ? -1 : 1)),
      ['owned', 'tessera-cli'],
    );
  });

  test('1,000 integrations are applied in one request; a body is read only for a token of ours', async () => {
    const entries = Array.from({ length: 1000 }, (_, at) => [
      `many-${at}`,
      { scope: 'shop:read', description: 'x'.repeat(200) },
    ]);
    const objects = { integrations: Object.fromEntries(entries) };
    assert.equal(((await ask('POST', '/objects/apply', { objects }))['items'] as object[]).length, 1000);
    assert.deepEqual((await ask('POST', '/objects/plan', { objects }))['items'], []);
    const body = JSON.stringify({ objects });
    const forged = await scene.ask('tsa_forged', 'POST', '/objects/apply', { body });
    assert.equal(forged.status, 401);
  });

  test('certificates, assertions and scopes are explained', async () => {
    const chain = scene.service.authority.issue({ commonName: 'ada' }).chain.map(writePem).join('');
    const explained = await ask('POST', '/explain/certificate', { certificates: chain });
    assert.equal(explained['accepted'], true);
    assert.equal((await ask('POST', '/explain/assertion', { assertion: 'x.y.z' }))['accepted'], false);
    await registryFollows();
    const scope = await ask('GET', '/explain/scope?integration=orders-sync&scope=orders:everything');
    assert.equal(scope['refusal'], 'scope-exceeds-integration');
  });

  test('answers that no other test asks for are as documented, too', async () => {
    const [grant] = await items('/grants?newest=true');
    await ask('GET', `/grants/${grant?.['id']}`);
    await ask('GET', '/nodes');
    await ask('POST', '/identities/vera/passkeys');
    await ask('GET', '/identities/vera/passkeys');
    await ask('POST', '/identities/vera/enable');
    await ask('POST', '/integrations/import', { integrations: [{ id: 'imported', scope: 'a:read' }] });
    const server = { audience: 'https://a.example', resources: ['a'] };
    await ask('PUT', '/resource-servers/a', server);
    for (const method of ['POST', 'POST', 'DELETE']) await ask(method, '/resource-servers/a/secrets');
  });
});

/** A service that has refused a request, and the keys of what it writes about that. */
async function withRefusal() {
  const written: string[] = [];
  const watched = (real: Store): Store => ({
    ...real,
    change: (table, key, decide) => {
      if (table.name === refusalCounts.name) written.push(key);
      return real.change(table, key, decide);
    },
  });
  const other = await AdminScene.open({ store: watched });
  const fields = { client_id: 'orders-sync', scope: 'orders:everything', grant_type: 'client_credentials' };
  assert.equal((await postForm(other.caller('ada'), '/oauth2/token', fields)).status, 400);
  return { other, written };
}

const ROW = `scope-exceeds-integration ${ADA} orders-sync`;

test('a service counts what it refuses, and stores it when it stops', async () => {
  const { other, written } = await withRefusal();
  await other.close();
  assert.deepEqual(written, [ROW]);
});

test('a service does not wait for the minute before it stores what it refused', async (t) => {
  const few = t.mock.method(RefusalCounts.prototype, 'flushFew');
  const { other, written } = await withRefusal();
  t.after(() => other.close());
  await eventually('it is in the store', () => written.length > 0);
  assert.deepEqual(written, [ROW]);
  assert.ok(few.mock.callCount() > 0);
});
