// A service at its own public URL, with a resource server, and what callers of a protected API do.
import { type Guard, type VerifierOptions, verifier } from '../../../sdk/verify/src/verify.ts';
import type { ResourceServer } from '../../../src/core/resource-server.ts';
import { integrations } from '../../../src/store/tables/integrations.ts';
import { resourceServers } from '../../../src/store/tables/resource-servers.ts';
import { systemRandom } from '../../../src/system.ts';
import { drawResourceServerSecret } from '../../../src/tokens/resource-server-secret.ts';
import type { Caller } from '../../e2e/caller.ts';
import { clientId, startService, type TestService } from '../../e2e/service.ts';
import { pairByCertificate } from '../../e2e/steps.ts';
import { freePort } from '../../free-port.ts';
import { anIntegration, aResourceServer, ORDERS_AUDIENCE } from '../../samples.ts';

const { secret, hash } = drawResourceServerSecret(systemRandom);

export interface ProtectedApi extends TestService {
  readonly issuer: string;
  /** Ada's, who has the tokens. */
  readonly holder: Caller;
  readonly options: VerifierOptions;
  guard(difference?: Partial<VerifierOptions>): Promise<Guard>;
  token(format: 'jwt' | 'opaque', scope?: string): Promise<string>;
}

export const JWT_CLIENT = clientId('with-jwt');
export const FORMATS = ['jwt', 'opaque'] as const;

/** `publicPort`: if something stands in front of the service. */
export async function startProtected(publicPort?: number): Promise<ProtectedApi> {
  const port = publicPort ?? (await freePort());
  const issuer = `https://localhost:${port}`;
  const service = await startService({
    listeners: [{ tls: true, port: publicPort === undefined ? port : 0 }],
    settings: { publicUrl: issuer },
    signing: 'ES256',
  });
  const secrets: ResourceServer['secrets'] = [{ hash, createdAt: service.now() }];
  await service.put(resourceServers, aResourceServer({ secrets }));
  await service.put(
    integrations,
    anIntegration({ clientId: clientId('bound-jwt'), accessTokenFormat: 'jwt', binding: 'certificate' }),
  );
  await service.register(anIntegration({ clientId: JWT_CLIENT, accessTokenFormat: 'jwt' }));
  const holder = service.caller(service.ada);
  const resourceServer = { id: 'orders-api', secret: secret.reveal(), audience: ORDERS_AUDIENCE };
  const options: VerifierOptions = { issuer, resourceServer, ca: service.authority.pem };
  return {
    ...service,
    issuer,
    holder,
    options,
    guard: (difference = {}) => verifier({ ...options, ...difference }),
    token: async (format, scope = 'orders:read') =>
      (await pairByCertificate(holder, format === 'jwt' ? JWT_CLIENT : undefined, scope)).access_token,
  };
}
