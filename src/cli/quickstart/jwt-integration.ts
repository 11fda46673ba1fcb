import { accept } from '../../core/outcome.ts';
import { withKeyring } from '../../open-keyring.ts';
import { findIntegration } from '../../operations/admin/find-integration.ts';
import type { IntegrationDraft } from '../../operations/admin/integration-draft.ts';
import { registerIntegration } from '../../operations/admin/register-integration.ts';
import { addSigningKeyTo, publishKeys } from '../../operations/admin/signing-keys.ts';
import { Keyring } from '../../tokens/keyring.ts';
import { accepted } from '../terminal/wording.ts';
import type { Workplace } from '../terminal/workplace.ts';

/** A signing key and an integration whose access tokens are JWTs. Folders of earlier releases have neither. */
export async function ensureJwtIntegration(
  clientId: string,
  draft: IntegrationDraft,
  workplace: Workplace,
): Promise<void> {
  accepted(
    await withKeyring<unknown>(workplace, async ({ keys, storeKeys }) => {
      if (new Keyring(keys).signingKeys.length === 0)
        return addSigningKeyTo(keys, 'ES256', { ...workplace, storeKeys });
      return accept(await publishKeys(keys, workplace));
    }),
  );
  if ((await findIntegration(clientId, workplace)).ok) return;
  accepted(await registerIntegration(clientId, { ...draft, accessTokenFormat: 'jwt' }, workplace));
}
