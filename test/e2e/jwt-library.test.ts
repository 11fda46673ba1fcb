// Unmodified verifiers check our JWTs by discovery alone, for every algorithm.
// Only in test:all: libraries of others
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { resourceServers } from '../../src/store/tables/resource-servers.ts';
import { freePort } from '../free-port.ts';
import { ADA, anIntegration, aResourceServer, ORDERS_AUDIENCE } from '../samples.ts';
import { clientId, startService, type TestService } from './service.ts';
import { forged, pairByCertificate } from './steps.ts';

const JWT = 'jwt-sync';

const VERIFIERS = fileURLToPath(new URL('jwt-verifiers.ts', import.meta.url));

interface Verdict {
  readonly jose: string;
  readonly middleware: string;
}

async function verdicts(service: TestService, args: readonly string[]): Promise<Verdict[]> {
  const authority = join(service.folder, 'authority.crt');
  writeFileSync(authority, service.authority.pem);
  const env = { ...process.env, NODE_EXTRA_CA_CERTS: authority };
  const { stdout } = await promisify(execFile)(process.execPath, [VERIFIERS, ...args], { env, timeout: 60_000 });
  return stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Verdict);
}

/** How the middleware refuses a token. */
function refused(why: string): string {
  return `refused: 401 invalid_token: ${why}`;
}

for (const algorithm of ['ES256', 'EdDSA', 'RS256'] as const) {
  test(`unmodified jose and express-oauth2-jwt-bearer verify ${algorithm} by discovery alone [RFC 9068 4]`, async () => {
    const port = await freePort();
    const issuer = `https://localhost:${port}`;
    const listeners = [{ tls: true, port }];
    await using service = await startService({ listeners, settings: { publicUrl: issuer }, signing: algorithm });
    await service.put(resourceServers, aResourceServer());
    await service.register(anIntegration({ clientId: clientId(JWT), accessTokenFormat: 'jwt' }));
    const ada = service.caller(service.ada);
    const { access_token: good } = await pairByCertificate(ada, JWT, 'orders:read');
    const { access_token: notForOrders } = await pairByCertificate(ada, JWT, 'stock:read');
    assert.deepEqual(await verdicts(service, [issuer, ORDERS_AUDIENCE, good, forged(good), notForOrders]), [
      { jose: `accepted: ${ADA}`, middleware: `accepted: ${ADA}` },
      { jose: 'refused: ERR_JWS_SIGNATURE_VERIFICATION_FAILED', middleware: refused('signature verification failed') },
      { jose: 'refused: ERR_JWT_CLAIM_VALIDATION_FAILED', middleware: refused("Unexpected 'aud' value") },
    ]);
  });
}
