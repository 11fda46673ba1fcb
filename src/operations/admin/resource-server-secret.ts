import { accept } from '../../core/outcome.ts';
import { MOST_SECRETS, type ResourceServer, secretMark } from '../../core/resource-server.ts';
import { drawResourceServerSecret } from '../../tokens/resource-server-secret.ts';
import type { Secret } from '../../tokens/secret.ts';
import type { Ports } from '../ports.ts';
import { type AdminOutcome, type AdminPorts, decline } from './admin.ts';
import { ending, rewrite } from './perform.ts';

/** Returned once, stored as a hash. The one before stays valid beside it. `replaces`: earlier ones end at once. */
export async function makeResourceServerSecret(
  id: string,
  { replaces }: { readonly replaces: boolean },
  ports: AdminPorts & Pick<Ports, 'random'>,
): Promise<AdminOutcome<Secret>> {
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
export function dropOldSecret(id: string, ports: AdminPorts): Promise<AdminOutcome<ResourceServer>> {
  return rewrite('resource-server', id, ports, (before, at) => {
    const [oldest] = before.secrets;
    if (!oldest || before.secrets.length < MOST_SECRETS) return decline('secrets-not-two', id);
    return ending('resource-server', before, { did: 'secret-dropped', ended: [secretMark(oldest)] }, at);
  });
}
