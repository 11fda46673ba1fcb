import { openKeyringForChange } from '../../open-keyring.ts';
import { findIntegration } from '../../operations/admin/find-integration.ts';
import type { IntegrationDraft } from '../../operations/admin/integration-draft.ts';
import { publishKeys } from '../../operations/admin/published-keys.ts';
import { registerIntegration } from '../../operations/admin/register-integration.ts';
import { addSigningKey, Keyring } from '../../tokens/keyring.ts';
import { accepted } from '../terminal/wording.ts';
import type { Workplace } from '../terminal/workplace.ts';

/** A signing key and an integration whose access tokens are JWTs. Folders of earlier releases have neither. */
export async function ensureJwtIntegration(
  clientId: string,
  draft: IntegrationDraft,
  workplace: Workplace,
): Promise<void> {
  const { keys, storeKeys } = accepted(await openKeyringForChange(workplace));
  const isThere = new Keyring(keys).signingKeys.length > 0;
  const complete = isThere ? keys : addSigningKey(keys, 'ES256').keys;
  if (!isThere) storeKeys(complete);
  await publishKeys(complete, workplace);
  if ((await findIntegration(clientId, workplace)).ok) return;
  accepted(await registerIntegration(clientId, { ...draft, accessTokenFormat: 'jwt' }, workplace));
}
