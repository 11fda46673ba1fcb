// Generated secrets of integrations, for callers that know nothing else, and of resource servers.
import type { Integration } from '../../core/integration.ts';
import { accept } from '../../core/outcome.ts';
import { MOST_SECRETS, type ResourceServer, secretMark } from '../../core/resource-server.ts';
import { SECRET_LIFETIME_MAX } from '../../core/settings.ts';
import { after, type EpochSeconds, type Seconds } from '../../core/time.ts';
import { drawResourceServerSecret } from '../../tokens/resource-server-secret.ts';
import type { Ports } from '../ports.ts';
import { type Acted, type AdminPorts, decline } from './admin.ts';
import { ending, rewrite } from './perform.ts';

type SecretPorts = AdminPorts & Pick<Ports, 'random'>;

/** Makes a secret, which is returned once and stored as a hash. The one before stays valid beside it, until its own end. */
export async function makeIntegrationSecret(clientId: string, lifetime: Seconds, ports: SecretPorts) {
  if (lifetime < 1 || lifetime > SECRET_LIFETIME_MAX) return decline('secret-lifetime-malformed', clientId);
  const { secret, hash } = drawResourceServerSecret(ports.random);
  let endsAt = 0 as EpochSeconds;
  const made = await rewrite('integration', clientId, ports, (before, createdAt) => {
    if (!before.flows.secret) return decline('secret-flow-off', clientId);
    const live = (before.secrets ?? []).filter((known) => createdAt < known.endsAt);
    if (live.length >= MOST_SECRETS) return decline('client-secrets-exhausted', clientId);
    endsAt = after(createdAt, lifetime);
    const next = { ...before, secrets: [...live, { hash, createdAt, endsAt }] };
    return accept({ next, deed: { did: 'secret-made', until: endsAt } });
  });
  return made.ok ? accept({ secret, endsAt }) : made;
}

/** Ends the older of two secrets; `all`: every one, at once. */
export function dropIntegrationSecrets(
  clientId: string,
  { all }: { all: boolean },
  ports: AdminPorts,
): Acted<Integration> {
  return rewrite('integration', clientId, ports, (before, at) => {
    const { secrets = [] } = before;
    const ended = (all ? secrets : secrets.slice(0, secrets.length - 1)).map(secretMark);
    if (ended.length === 0) return decline('client-secrets-none', clientId);
    return ending('integration', before, { did: 'secret-dropped', ended }, at);
  });
}

/** Returned once, stored as a hash. The one before stays valid beside it. `replaces`: earlier ones end at once. */
export async function makeResourceServerSecret(id: string, { replaces }: { replaces: boolean }, ports: SecretPorts) {
  const { secret, hash } = drawResourceServerSecret(ports.random);
  const made = await rewrite('resource-server', id, ports, (before, createdAt) => {
    const kept = replaces ? [] : before.secrets;
    if (kept.length >= MOST_SECRETS) return decline('secrets-exhausted', id);
    const next = { ...before, secrets: [...kept, { hash, createdAt }] };
    const ended = before.secrets.map(secretMark);
    return accept({ next, deed: replaces ? { did: 'secrets-replaced', ended } : { did: 'secret-made' } });
  });
  return made.ok ? accept(secret) : made;
}

/** Ends the older of two secrets. */
export function dropOldSecret(id: string, ports: AdminPorts): Acted<ResourceServer> {
  return rewrite('resource-server', id, ports, (before, at) => {
    const [oldest] = before.secrets;
    if (!oldest || before.secrets.length < MOST_SECRETS) return decline('secrets-not-two', id);
    return ending('resource-server', before, { did: 'secret-dropped', ended: [secretMark(oldest)] }, at);
  });
}
