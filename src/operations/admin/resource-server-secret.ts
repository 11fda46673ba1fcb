import { accept } from '../../core/outcome.ts';
import { MOST_SECRETS, type ResourceServer } from '../../core/resource-server.ts';
import { drawResourceServerSecret } from '../../tokens/resource-server-secret.ts';
import type { Secret } from '../../tokens/secret.ts';
import type { Ports } from '../ports.ts';
import { type AdminOutcome, type AdminPorts, decline } from './admin.ts';
import { rewriteResourceServer } from './change-resource-server.ts';

/**
 * Makes a secret, which is returned once and stored as a hash. The one before stays valid beside it. `replaces`: earlier
 * ones end at once.
 */
export async function makeResourceServerSecret(
  id: string,
  { replaces }: { readonly replaces: boolean },
  ports: AdminPorts & Pick<Ports, 'random'>,
): Promise<AdminOutcome<Secret>> {
  const { secret, hash } = drawResourceServerSecret(ports.random);
  const did = replaces ? 'resource server secrets replaced' : 'resource server secret made';
  const made = await rewriteResourceServer(
    id,
    did,
    (before, createdAt) => {
      const kept = replaces ? [] : before.secrets;
      if (kept.length >= MOST_SECRETS) return decline('secrets-exhausted', id);
      return accept({ ...before, secrets: [...kept, { hash, createdAt }] });
    },
    ports,
  );
  return made.ok ? accept(secret) : made;
}

/** Ends the older of two secrets. */
export function dropOldSecret(id: string, ports: AdminPorts): Promise<AdminOutcome<ResourceServer>> {
  return rewriteResourceServer(
    id,
    'old resource server secret dropped',
    (before) =>
      before.secrets.length < MOST_SECRETS
        ? decline('secrets-not-two', id)
        : accept({ ...before, secrets: before.secrets.slice(1) }),
    ports,
  );
}
