// A platform whose jobs get grants by assertion, and an integration for them.
import type { Integration } from '../../src/core/integration.ts';
import { tokenIssuers } from '../../src/store/tables/token-issuers.ts';
import { aTokenIssuer, claimsOf, keySetOf, platformKey } from '../platform.ts';
import { anIntegration } from '../samples.ts';
import { clientId, type TestService } from './service.ts';

export const WORKLOAD_CLIENT = 'deploy';

/** Returns what the platform does when a job asks: it signs a new assertion. */
export async function registerWorkload(
  service: TestService & { readonly issuer: string },
  overrides: Integration['overrides'] = {},
): Promise<() => Promise<string>> {
  const key = await platformKey();
  await service.put(tokenIssuers, aTokenIssuer({ keys: { from: 'file', set: keySetOf(key) } }));
  const flows = { device: false, certificate: false, assertion: true };
  await service.register(anIntegration({ clientId: clientId(WORKLOAD_CLIENT), flows, overrides }));
  return () => key.sign({ ...claimsOf({}, service.now()), aud: service.issuer });
}
