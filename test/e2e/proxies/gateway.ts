// Apache with mod_auth_openidc in front of a page, with the configuration that docs/resource-servers.md shows.
// Needs: apache2, libapache2-mod-auth-openidc
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '../../free-port.ts';
import { temporaryFolder } from '../../temporary-folder.ts';
import type { TestService } from '../service.ts';
import { blockOf, type RunningProxy, runIn, writeFiles } from './proxy.ts';

const MODULES = ['mpm_event', 'authz_core', 'authn_core', 'auth_openidc'];
export const PAGE = 'the orders of today';

/** Protects /orders, which holds PAGE. */
export async function startGateway(service: TestService, secret: string): Promise<RunningProxy> {
  const folder = temporaryFolder('gateway');
  chmodSync(folder, 0o755); // Apache reads the page as another user
  const port = await freePort();
  writeFiles(folder, service);
  mkdirSync(join(folder, 'pages'));
  writeFileSync(join(folder, 'pages', 'orders'), PAGE);
  const shown = blockOf('docs/resource-servers.md', 'apache')
    .replaceAll('tokens.example.com', `localhost:${service.port}`)
    .replace(/\bSECRET\b/g, secret);
  const configuration = [
    ...MODULES.map((name) => `LoadModule ${name}_module /usr/lib/apache2/modules/mod_${name}.so`),
    `ServerRoot ${folder}\nDefaultRuntimeDir ${folder}\nPidFile ${folder}/pid\nErrorLog ${folder}/log`,
    `ServerName localhost\nUser #65534\nGroup #65534\nStartServers 1\nListen 127.0.0.1:${port}`,
    `DocumentRoot ${folder}/pages\nOIDCCABundlePath ${folder}/issuers.pem\nOIDCCryptoPassphrase test`,
    shown,
  ];
  writeFileSync(join(folder, 'conf'), configuration.join('\n'));
  return runIn(folder, port, ['apache2', '-D', 'FOREGROUND', '-f', join(folder, 'conf')]);
}
