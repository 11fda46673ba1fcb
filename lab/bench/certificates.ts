import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeDevelopmentAuthority } from '../../src/pki/development-authority.ts';
import { systemRandom } from '../../src/system.ts';
import type { ClientTls } from './generator/generator.ts';

export const USER_NAME = 'ada';

/** One authority, server and client for all contestants; files for the servers, texts for the generator. */
export function writeCertificates(folder: string): ClientTls {
  const authority = makeDevelopmentAuthority(new Date(), systemRandom);
  const server = authority.issueServer(['localhost', '127.0.0.1']);
  const client = authority.issueClient(USER_NAME);
  writeFileSync(join(folder, 'authority.crt'), authority.certificate);
  writeFileSync(join(folder, 'server.crt'), server.certificate);
  writeFileSync(join(folder, 'server.key'), server.key, { mode: 0o600 });
  return { authority: authority.certificate, certificate: client.certificate, key: client.key };
}
