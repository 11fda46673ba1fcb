// A node of an earlier release beside one of this release, on one PostgreSQL store: what the new one wrote survives whatever the old one does
// with it, and the old one accepts nothing that it cannot check.
import { execFileSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { Integration } from '../../../src/core/integration.ts';
import type { ResourceServerId } from '../../../src/core/resource-server.ts';
import { epochSeconds } from '../../../src/core/time.ts';
import { replacedKeys } from '../../../src/operations/admin/integration-keys.ts';
import { storeOf } from '../../../src/store/change.ts';
import type { Store } from '../../../src/store/store.ts';
import type { Table } from '../../../src/store/table.ts';
import { grants, grantsOf } from '../../../src/store/tables/grants.ts';
import { integrations } from '../../../src/store/tables/integrations.ts';
import { resourceServers } from '../../../src/store/tables/resource-servers.ts';
import { tokenIssuers } from '../../../src/store/tables/token-issuers.ts';
import { systemClock, systemRandom } from '../../../src/system.ts';
import { drawResourceServerSecret } from '../../../src/tokens/resource-server-secret.ts';
import { type Answer, type Caller, callerOver } from '../../../test/e2e/caller.ts';
import { dpopKey } from '../../../test/e2e/dpop-steps.ts';
import { basic, postForm } from '../../../test/e2e/oauth-steps.ts';
import { registryFollows } from '../../../test/e2e/registry-follows.ts';
import { clientId, type Home, makeHome, PUBLIC_URL, populate } from '../../../test/e2e/service.ts';
import { refresh, verify } from '../../../test/e2e/steps.ts';
import { freePort } from '../../../test/free-port.ts';
import { aTokenIssuer, claimsOf, keySetOf, platformKey } from '../../../test/platform.ts';
import { anIntegration, aResourceServer, scopeOf } from '../../../test/samples.ts';
import type { Seeded } from '../../../test/seeded.ts';
import { openAt } from '../../../test/store/postgres-node.ts';
import { PostgresServer } from '../../../test/store/postgres-server.ts';
import { Broken } from '../broken.ts';
import { Instance } from './instance.ts';
import { FOR_ANY_RELEASE, lastRelease, type Release, releaseAt, THIS_RELEASE } from './release.ts';

const TOKEN = '/oauth2/token';
const ASSERTION_TYPE = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';
const ENTERPRISE = 'https://idp.example';
const [robotKey, idpKey] = [await platformKey('robot'), await platformKey('idp')];
const robotKeys = replacedKeys({ from: 'file', set: keySetOf(robotKey) });
const { secret, hash } = drawResourceServerSecret(systemRandom);

/** What only this release knows of an integration. */
const ROBOT: Partial<Integration> = {
  scope: scopeOf('orders:read;stock:read;api://orders/.default'),
  flows: { device: false, certificate: true, secret: true, assertion: true },
  ...(robotKeys.ok && robotKeys.value && { keys: robotKeys.value }),
  secrets: [{ hash, createdAt: systemClock.now(), endsAt: epochSeconds(systemClock.now() + 86_400) }],
  resourceServer: 'orders-api' as ResourceServerId,
  overrides: { refresh: true },
};
const REGISTERED: readonly Integration[] = [
  anIntegration({ clientId: clientId('robot'), ...ROBOT }),
  anIntegration({
    clientId: clientId('shop'),
    exchange: [{ integration: clientId('robot'), scope: 'stock:read' }],
    overrides: { refresh: true },
  }),
  anIntegration({ clientId: clientId('bound'), binding: 'dpop', overrides: { refresh: true } }),
];
const IDP = aTokenIssuer({
  label: 'idp',
  issuer: ENTERPRISE,
  kind: 'enterprise',
  keys: { from: 'file', set: keySetOf(idpKey) },
  rules: [{ conditions: [{ claim: '/tenant', test: { is: 'acme' } }], identity: '{/sub}', identities: 'derived' }],
});

/** A token of the new node, and how it refreshes it there. */
interface Held {
  readonly name: string;
  readonly clientId: string;
  readonly pair: Readonly<Record<string, string>>;
  readonly refresh?: () => Promise<Answer>;
}

export async function mixReleases(
  _cycles: number,
  _chance: Seeded,
  { from = lastRelease() }: { readonly from?: string | undefined } = {},
): Promise<number> {
  const broken = new Broken();
  const release = releaseAt(from);
  const server = await PostgresServer.start({ durable: false });
  const home = makeHome({ ...FOR_ANY_RELEASE, settings: { ...FOR_ANY_RELEASE.settings, store: server.url() } });
  const store = storeOf(await openAt(server.url()));
  await populate(store, home.authority);
  await register(store);
  const ports = [await freePort(), await freePort()] as const;
  const [older, newer] = await Promise.all(
    [release, THIS_RELEASE].map((each, index) =>
      Instance.start(each, home, ['--set', `listeners.0.port=${ports[index]}`]),
    ),
  );
  const ada = home.authority.issue({ commonName: 'ada' });
  const [atOld, atNew] = ports.map((port) =>
    callerOver('HTTP/1.1', { port, ca: home.authority.pem, certificate: ada }),
  ) as [Caller, Caller];
  await registryFollows();
  const held = await obtain(atNew);
  for (const each of held) await useAtOld(each, [atOld, atNew], broken);
  changeWithOld(release, home, broken);
  await registryFollows();
  await checkRegistered(store, broken);
  for (const each of held) await useAtNew(each, store, broken);
  for (const instance of [older, newer]) for (const fault of instance?.faults() ?? []) broken.where(true, fault);
  for (const caller of [atOld, atNew]) caller.close();
  await Promise.all([older?.stop(), newer?.stop()]);
  await store.close();
  await server.remove();
  release.remove();
  rmSync(home.folder, { recursive: true });
  console.log(`${held.length} tokens of this release beside ${from}; ${broken.count} broken promises`);
  return broken.count;
}

async function register(store: Store): Promise<void> {
  const put = <Row>(table: Table<Row>, key: string, next: Row) =>
    store.change(table, key, () => ({ outcome: undefined, next }));
  for (const integration of REGISTERED) await put(integrations, integration.clientId, integration);
  await put(tokenIssuers, IDP.label, IDP);
  await put(resourceServers, 'orders-api', aResourceServer());
}

async function signed(): Promise<Record<string, string>> {
  const claims = { ...claimsOf({}, systemClock.now()), iss: 'robot', sub: 'robot', aud: PUBLIC_URL };
  return { client_assertion: await robotKey.sign(claims), client_assertion_type: ASSERTION_TYPE };
}

async function obtain(at: Caller): Promise<Held[]> {
  const post = async (fields: Record<string, string>, headers = {}) => {
    const answer = await postForm(at, TOKEN, fields, headers);
    if (answer.status !== 200) throw new Error(`${JSON.stringify(fields)}: ${answer.text}`);
    return answer.json as Record<string, string>;
  };
  const credentials = { grant_type: 'client_credentials' };
  const byKey = await post({ ...credentials, ...(await signed()) });
  const bySecret = await post(credentials, basic('robot', secret.reveal()));
  const subject = await post({ ...credentials, client_id: 'shop' });
  const exchanged = await post({
    grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
    subject_token: subject['access_token'] ?? '',
    subject_token_type: 'urn:ietf:params:oauth:token-type:access_token',
    ...(await signed()),
  });
  const asserted = { iss: ENTERPRISE, sub: 'u1', aud: PUBLIC_URL, tenant: 'acme', client_id: 'robot' };
  const assertion = await idpKey.sign({ ...claimsOf({}, systemClock.now()), ...asserted }, { typ: 'oauth-id-jag+jwt' });
  const ofEnterprise = await post({
    grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer',
    assertion,
    ...(await signed()),
  });
  const key = await dpopKey();
  const proven = async (fields: Record<string, string>) => {
    const htu = `${PUBLIC_URL}${TOKEN}`;
    const first = await postForm(at, TOKEN, fields, { dpop: await key.proof({ htu }) });
    return postForm(at, TOKEN, fields, { dpop: await key.proof({ htu, nonce: first.headers['dpop-nonce'] }) });
  };
  const bound = (await proven({ ...credentials, client_id: 'bound' })).json as Record<string, string>;
  const again = (pair: Readonly<Record<string, string>>, proof: () => Promise<Record<string, string>>) => async () =>
    postForm(at, TOKEN, {
      grant_type: 'refresh_token',
      refresh_token: pair['refresh_token'] ?? '',
      ...(await proof()),
    });
  return [
    { name: 'by key', clientId: 'robot', pair: byKey, refresh: again(byKey, signed) },
    { name: 'by secret', clientId: 'robot', pair: bySecret, refresh: again(bySecret, signed) },
    { name: 'exchanged', clientId: 'robot', pair: exchanged },
    { name: 'of an enterprise', clientId: 'robot', pair: ofEnterprise },
    {
      name: 'bound to a key',
      clientId: 'bound',
      pair: bound,
      refresh: () =>
        proven({ grant_type: 'refresh_token', client_id: 'bound', refresh_token: bound['refresh_token'] ?? '' }),
    },
    {
      name: 'by certificate',
      clientId: 'shop',
      pair: subject,
      refresh: again(subject, async () => ({ client_id: 'shop' })),
    },
  ];
}

/** It refuses what it does not understand, and says of other tokens what the new one says. What it refuses is not spent, and does not end. */
async function useAtOld({ name, clientId: id, pair }: Held, [at, atNew]: readonly [Caller, Caller], broken: Broken) {
  const isPlain = name === 'by certificate';
  const [old, now] = await Promise.all([at, atNew].map((node) => verify(node, pair['access_token'] ?? '')));
  const isUnderstood = old?.status === 200 && old.text === now?.text;
  const isRefused = old?.status === 401 && !isPlain;
  broken.where(!isUnderstood && !isRefused, `a token ${name} at the old node: ${old?.status} ${old?.text}`);
  if (pair['refresh_token'] === undefined || isPlain) return;
  const bare = { grant_type: 'refresh_token', client_id: id, refresh_token: pair['refresh_token'] };
  const answers = [await refresh(at, pair['refresh_token'], id), await postForm(at, TOKEN, bare)];
  for (const answer of answers) broken.where(answer.status === 200, `the old node refreshes a grant ${name}`);
}

/** An operator uses the old command on the same store. */
function changeWithOld({ folder }: Release, { configFile }: Home, broken: Broken): void {
  const main = join(folder, 'src/cli/main.ts');
  const args = ['--disable-warning=ExperimentalWarning', main, '--config', configFile];
  for (const command of [
    ['integration', 'change', 'robot', '--description', 'Changed by the old release'],
    ['integration', 'change', 'bound', '--description', 'Changed by the old release'],
    ['integration', 'disable', 'shop'],
    ['integration', 'enable', 'shop'],
    ['token-issuer', 'change', 'idp', '--max-lifetime', '2h'],
  ])
    try {
      execFileSync(process.execPath, [...args, ...command], { stdio: 'pipe' });
    } catch (fault) {
      broken.where(true, `tessera ${command.join(' ')}: ${String((fault as { stderr?: Buffer }).stderr)}`);
    }
}

async function checkRegistered(store: Store, broken: Broken): Promise<void> {
  for (const before of REGISTERED) {
    const { found } = await store.load(integrations, before.clientId);
    for (const name of ['keys', 'secrets', 'exchange', 'resourceServer', 'binding', 'flows'] as const)
      broken.where(
        !isDeepStrictEqual(found?.row[name], before[name]),
        `${before.clientId} has lost ${name}: ${JSON.stringify(found?.row[name])}`,
      );
    broken.where(found?.row.scope.text !== before.scope.text, `${before.clientId}: scope ${found?.row.scope.text}`);
  }
  const { found } = await store.load(tokenIssuers, IDP.label);
  broken.where(found?.row.kind !== 'enterprise', `the token issuer is of kind ${found?.row.kind}`);
  broken.where(found?.row.rules.length !== 1, `the token issuer has ${found?.row.rules.length} rules`);
}

async function useAtNew({ name, clientId: id, refresh: again }: Held, store: Store, broken: Broken) {
  const rows = await store.page(grants, { where: grantsOf.integration(id), limit: 100 });
  broken.where(
    rows.some(({ revoked }) => revoked !== undefined),
    `a grant of ${id} has ended`,
  );
  const answer = await again?.();
  broken.where(answer !== undefined && answer.status !== 200, `a grant ${name} is not refreshed: ${answer?.text}`);
}
