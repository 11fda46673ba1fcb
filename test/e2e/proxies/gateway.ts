// Gateways in front of a page, with the configurations of examples/libraries: Apache with mod_auth_openidc, nginx with auth_request.
// Needs: nginx, libnginx-mod-http-js, apache2, libapache2-mod-auth-openidc
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '../../free-port.ts';
import { temporaryFolder } from '../../temporary-folder.ts';
import type { TestService } from '../service.ts';
import { type RunningProxy, runIn, writeFiles } from './proxy.ts';

const MODULES = ['mpm_event', 'authz_core', 'authn_core', 'auth_openidc'];
export const PAGE = 'the orders of today';

/** Each protects /orders, which holds PAGE. */
export const GATEWAYS = [
  ['Apache mod_auth_openidc', startApache],
  ['nginx auth_request', startNginx],
] as const;

function example(file: string): string {
  return readFileSync(join(import.meta.dirname, '../../../examples/libraries', file), 'utf8');
}

async function startApache(service: TestService, secret: string): Promise<RunningProxy> {
  const folder = temporaryFolder('gateway');
  chmodSync(folder, 0o755); // Apache reads the page as another user
  const port = await freePort();
  writeFiles(folder, service);
  mkdirSync(join(folder, 'pages'));
  writeFileSync(join(folder, 'pages', 'orders'), PAGE);
  const shown = example('apache.conf')
    .replaceAll('tessera.example:8443', `localhost:${service.port}`)
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

async function startNginx(service: TestService, secret: string): Promise<RunningProxy> {
  const folder = temporaryFolder('gateway');
  const [port, page] = [await freePort(), await freePort()];
  writeFiles(folder, service);
  const script = join(folder, 'tessera.js');
  writeFileSync(script, example('nginx.js').replace('SECRET', secret), { mode: 0o600 });
  const shown = example('nginx.conf')
    .replace('tessera.example:8443', `localhost:${service.port}`)
    .replace('/etc/nginx/tessera.js', script)
    .replace('/etc/ssl/certs/ca-certificates.crt', join(folder, 'issuers.pem'))
    .replace('listen 8081', `listen 127.0.0.1:${port}`)
    .replace('127.0.0.1:8080', `127.0.0.1:${page}`);
  const configuration = [
    `load_module /usr/lib/nginx/modules/ngx_http_js_module.so;\ndaemon off;\nmaster_process off;\npid ${folder}/pid;`,
    `events {}\nhttp {\naccess_log off;`,
    ...['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `${name}_temp_path ${folder}/${name};`),
    `server { listen 127.0.0.1:${page}; location / { return 200 "${PAGE}"; } }`,
    `${shown}}`,
  ];
  writeFileSync(join(folder, 'conf'), configuration.join('\n'));
  return runIn(folder, port, ['nginx', '-p', folder, '-c', join(folder, 'conf'), '-e', join(folder, 'log')]);
}
