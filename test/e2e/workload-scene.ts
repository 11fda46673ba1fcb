// A service with a platform that serves its keys on loopback: what the tests of workloads begin with.
import assert from 'node:assert/strict';
import { seconds } from '../../src/core/time.ts';
import type { TokenIssuer } from '../../src/core/token-issuer.ts';
import { resourceServers } from '../../src/store/tables/resource-servers.ts';
import { tokenIssuers } from '../../src/store/tables/token-issuers.ts';
import { aTokenIssuer, claimsOf, platformKey, platformServer } from '../platform.ts';
import { anIntegration, aResourceServer } from '../samples.ts';
import { type Answer, form } from './caller.ts';
import { clientId, PUBLIC_URL, startService } from './service.ts';
import { ASSERTION_GRANT } from './steps.ts';

export const TOKEN = '/oauth2/token';
const FLOWS = { device: true, certificate: true, assertion: true };
export const CLIENT = 'deploy';

export async function openWorkloads() {
  const key = await platformKey();
  const platform = await platformServer([key]);
  const service = await startService({ signing: 'ES256' });
  const issuerOf = (difference: Partial<TokenIssuer> = {}): TokenIssuer => {
    const keys = { from: 'discovery', allowedAddresses: ['127.0.0.1'] } as const;
    return aTokenIssuer({ issuer: platform.url, keys, ...difference });
  };
  await service.put(tokenIssuers, issuerOf());
  await service.put(resourceServers, aResourceServer());
  await service.register(anIntegration({ clientId: clientId('deploy-jwt'), flows: FLOWS, accessTokenFormat: 'jwt' }));
  await service.register(
    anIntegration({ clientId: clientId(CLIENT), flows: FLOWS, overrides: { accessTokenLifetime: seconds(900) } }),
  );
  await service.register(
    anIntegration({ clientId: clientId('deploy-refreshing'), flows: FLOWS, overrides: { refresh: true } }),
  );
  const stranger = service.caller();
  const close = async () => {
    platform.close();
    await service.stop();
  };
  return {
    key,
    platform,
    service,
    stranger,
    issuerOf,
    /** A new assertion of the job, by the clock of the service. */
    assertionOf: (claims: Record<string, unknown> = {}, by = key, header = {}): Promise<string> =>
      by.sign({ ...claimsOf({}, service.now()), iss: platform.url, aud: PUBLIC_URL, ...claims }, header),
    post: (fields: Record<string, string>, caller = stranger): Promise<Answer> => {
      const usual = { grant_type: ASSERTION_GRANT, client_id: CLIENT };
      return caller.ask({ path: TOKEN, ...form({ ...usual, ...fields }) });
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

export function assertRefused(answer: Answer, status: number, error: string): void {
  assert.deepEqual([answer.status, answer.json?.['error']], [status, error], answer.text);
  assert.deepEqual(Object.keys(answer.json), ['error', 'error_description']);
  assert.equal(answer.headers['cache-control'], 'no-store');
}
