import type { Refused } from '../../core/outcome.ts';
import { signingKeyOf } from '../../core/rules/signing-keys.ts';
import type { Store } from '../../store/store.ts';
import { isSigned } from '../../tokens/access-token.ts';
import { nodesWithout } from '../upkeep/report-node.ts';
import { type AdminRefusal, decline } from './admin.ts';
import { formatOf, type IntegrationDraft } from './integration-draft.ts';
import { allPublishedKeys } from './signing-keys.ts';

/** Why an integration cannot have this format yet: no key signs, or a running node would refuse its callers. */
export async function whyNotFormat(
  { accessTokenFormat }: IntegrationDraft,
  store: Store,
): Promise<Refused<AdminRefusal> | undefined> {
  const format = accessTokenFormat === undefined ? undefined : formatOf(accessTokenFormat);
  if (format === undefined || !isSigned(format)) return undefined;
  const key = signingKeyOf(await allPublishedKeys(store));
  if (!key) return decline('signing-key-missing', '');
  const without = await nodesWithout(key.id, store);
  return without.length > 0 ? decline('key-not-everywhere', without.join(', ')) : undefined;
}
