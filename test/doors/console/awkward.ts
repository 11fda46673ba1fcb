// What no designer thinks of: names without spaces, in other scripts and with markup, long serials, many permissions, every refusal.
import { generateKeyPairSync } from 'node:crypto';
import { acted } from '../../../src/core/event.ts';
import type { IdentityId } from '../../../src/core/identity.ts';
import type { ClientId, Integration } from '../../../src/core/integration.ts';
import { presenter } from '../../../src/core/presenter.ts';
import { TO_CALLERS } from '../../../src/core/refusal.ts';
import { reasonsOf } from '../../../src/core/refusals/declaration.ts';
import type { Audience, ResourceServerId } from '../../../src/core/resource-server.ts';
import { after, epochSeconds, seconds } from '../../../src/core/time.ts';
import { identities, passkeys } from '../../../src/store/tables/identities.ts';
import { integrations } from '../../../src/store/tables/integrations.ts';
import { issuers } from '../../../src/store/tables/issuers.ts';
import { resourceServers } from '../../../src/store/tables/resource-servers.ts';
import { tokenIssuers } from '../../../src/store/tables/token-issuers.ts';
import { makeAuthority } from '../../authority.ts';
import { ISSUER, put } from '../../node.ts';
import { aTokenIssuer } from '../../platform.ts';
import { anIntegration, aPasskey, aResourceServer, hexOf, scopeOf } from '../../samples.ts';
import { type ConsoleScene, EVIL, PEOPLE } from './scene.ts';

export const WIDE = 'W'.repeat(60);
const TURNED = 'مستودعالطلبات';
const FAMILY = '👨‍👩‍👧‍👦'.repeat(30);
export const LONG_ID = `orders-${'sync_of.the.warehouse-'.repeat(5)}` as ClientId;
const LONG_NAME = `${WIDE}${EVIL}${TURNED}${FAMILY}`;
const LONG_ADDRESS = `${'a'.repeat(64)}@${'department-'.repeat(14)}example.com`;
export const LONG_URL = `https://${'warehouse-'.repeat(6)}.example.com/${'path-'.repeat(80)}?q=${'x'.repeat(80)}`;
const MANY = Array.from({ length: 30 }, (_, at) => `warehouse${'x'.repeat(40)}${at}:read,write,delete,manage`).join(
  ';',
);
export const ISSUER_LABEL = `corp-${'of-the-group-'.repeat(4)}`;
export const TOKEN_ISSUER_LABEL = `ci-${'of-the-group-'.repeat(4)}`;
const LONG_SERIAL = 'f3'.repeat(64);

export const AWKWARD: Integration = anIntegration({
  clientId: LONG_ID,
  name: LONG_NAME,
  vendor: `${WIDE}${WIDE}`,
  description: LONG_NAME.repeat(3),
  scope: scopeOf(MANY),
  owners: [`team-${WIDE}`, TURNED, EVIL],
  access: { to: 'named', identities: [`corp:${'0f'.repeat(40)}` as IdentityId], groups: [WIDE, FAMILY] },
  flows: { device: true, certificate: true, code: { redirectUris: [LONG_URL, 'http://127.0.0.1/callback'] } },
  keys: { from: 'url', url: LONG_URL },
  secretAddresses: ['2001:db8:1111:2222:3333:4444:5555:6666/128'],
  exchange: [{ integration: LONG_ID, scope: MANY }],
});

const LONG_HOLDER = `corp:${'9e'.repeat(60)}` as IdentityId;
const HOLDER = PEOPLE.nina.id;

/** Besides what is usual. */
export async function furnishAwkwardly(scene: ConsoleScene): Promise<void> {
  await scene.furnish();
  const { store } = scene;
  const now = await store.now();
  const publicKey = generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey.export({ format: 'jwk' });
  const set = JSON.stringify({ keys: [{ ...publicKey, kid: WIDE, thumbprint: 'T'.repeat(43) }] });
  const secrets = [1, 2].map((at) => ({ hash: hexOf(32, at), createdAt: now, endsAt: after(now, seconds(86_400)) }));
  await put(store, integrations, { ...AWKWARD, keys: { from: 'file', set }, secrets });
  await put(store, identities, {
    ...PEOPLE.nina,
    userName: `nina${WIDE}${WIDE}`,
    email: LONG_ADDRESS,
    groups: [WIDE, TURNED, FAMILY, EVIL],
  });
  await put(store, identities, { id: LONG_HOLDER, enabled: false, mayUseApi: true, groups: [], upn: LONG_ADDRESS });
  const keys = [1, 2].map((at) =>
    aPasskey(hexOf(16, at), { name: at === 1 ? WIDE : TURNED, createdAt: now, usedAt: now }),
  );
  await put(store, passkeys, { identityId: HOLDER, keys });
  const authority = makeAuthority({ name: WIDE, serial: Buffer.from(`00${'f3'.repeat(19)}`, 'hex') });
  await put(store, issuers, { ...ISSUER, label: ISSUER_LABEL, certificate: authority.certificate });
  await put(store, tokenIssuers, aTokenIssuer({ label: TOKEN_ISSUER_LABEL, issuer: LONG_URL }));
  const audience = LONG_URL as Audience;
  const resources = MANY.split(';').map((each) => each.split(':')[0] ?? '');
  await put(
    store,
    resourceServers,
    aResourceServer({ id: LONG_ID as string as ResourceServerId, audience, name: LONG_NAME, resources }),
  );
  const claimed = {
    subject: `CN=${LONG_NAME}`.slice(0, 200),
    issuer: `CN=${WIDE.repeat(3)}`,
    serial: LONG_SERIAL,
    label: undefined,
  };
  for (const [at, reason] of reasonsOf(TO_CALLERS).entries()) {
    const whose =
      at % 2 === 0 ? { clientId: LONG_ID, identityId: HOLDER } : { clientId: LONG_ID, identityId: LONG_HOLDER };
    const label = at % 3 === 0 ? 'corp' : undefined;
    await scene.refusal({
      reason,
      count: 1_000_000 + at,
      ...whose,
      claimed: { ...claimed, label, ...(at % 2 === 1 && { scope: MANY }) },
    });
  }
  for (const index of [1, 2, 3])
    await scene.grant(index, 'nina', { clientId: LONG_ID, scope: MANY, resource: [audience] });
  const scope = { before: MANY, after: 'a:b' };
  const description = { before: LONG_NAME, after: WIDE.repeat(4) };
  const act = { kind: 'integration', id: LONG_ID, did: 'changed', changed: { scope, description } } as const;
  await store.change(integrations, LONG_ID, () => ({
    outcome: undefined,
    events: [
      acted(act, { at: epochSeconds(now - 60), by: { as: 'identity', id: HOLDER, proof: 'passkey' } }),
      {
        type: 'reused',
        at: now,
        clientId: LONG_ID,
        identityId: LONG_HOLDER,
        subjectId: `018f${hexOf(14, 1)}`,
        presenter: presenter('2001:db8:1111:2222:3333:4444:5555:6666', WIDE + WIDE),
        requestId: hexOf(8, 1),
        detail: { ended: true },
      },
    ],
  }));
}
