// The proxies of docs/guard.md, each with the very file of deploy/guard, in front of an API in Python.
// Needs: nginx, haproxy, caddy, python3
import { existsSync, globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { VerifierOptions } from '../../../sdk/verify/src/verify.ts';
import { freePort } from '../../free-port.ts';
import { temporaryFolder } from '../../temporary-folder.ts';
import { type RunningProxy, runIn } from '../proxies/proxy.ts';

const ROOT = join(import.meta.dirname, '../../..');
const CACHE = join(ROOT, 'node_modules/.cache/proxies/python');
const TRAEFIK = join(CACHE, 'bin/traefik');
/** The program itself: the command of the package is a script that starts it. */
const [ENVOY = 'envoy'] = globSync(join(CACHE, 'lib/*/site-packages/envoy/_bin/envoy'));

interface Recipe {
  /** How the guard learns what was asked for. */
  readonly from: 'headers' | 'path';
  readonly file: string;
  readonly command: (folder: string, file: string) => readonly [string, ...string[]];
  /** What a distribution's own configuration provides around it, cut down to a folder and no privileges. */
  readonly around?: (text: string, here: { readonly folder: string; readonly port: number }) => string;
  /** If it must be installed first. */
  readonly program?: string;
}

export const RECIPES: Readonly<Record<string, Recipe>> = {
  nginx: {
    from: 'headers',
    file: 'nginx.conf',
    command: (folder, file) => ['nginx', '-p', folder, '-c', file, '-e', join(folder, 'log')],
    around: (text, { folder }) => `
      user root; daemon off; worker_processes 1; pid ${folder}/pid; error_log ${folder}/log;
      events {}
      http {
        access_log off;
        client_body_temp_path ${folder}; proxy_temp_path ${folder}; fastcgi_temp_path ${folder};
        uwsgi_temp_path ${folder}; scgi_temp_path ${folder};
        ${text}
      }`,
  },
  haproxy: {
    from: 'headers',
    file: 'haproxy.cfg',
    command: (_, file) => ['haproxy', '-W', '-db', '-f', file],
  },
  caddy: {
    from: 'headers',
    file: 'Caddyfile',
    command: (_, file) => ['caddy', 'run', '--adapter', 'caddyfile', '--config', file],
    around: (text, { folder, port }) =>
      `{\n\tadmin off\n\tauto_https off\n\tstorage file_system ${folder}\n}\n${text.replace('orders.example.com', `http://orders.example.com:${port}`)}`,
  },
  traefik: {
    from: 'headers',
    file: 'traefik.yaml',
    program: TRAEFIK,
    command: (folder) => [TRAEFIK, `--configfile=${join(folder, 'static.yaml')}`],
    around: (text, { folder, port }) => {
      const providers = `providers: { file: { filename: ${join(folder, 'traefik.yaml')} } }`;
      writeFileSync(
        join(folder, 'static.yaml'),
        `entryPoints: { web: { address: "127.0.0.1:${port}" } }\n${providers}\nglobal: { checkNewVersion: false, sendAnonymousUsage: false }\n`,
      );
      return text;
    },
  },
  envoy: {
    from: 'path',
    file: 'envoy.yaml',
    program: ENVOY,
    command: (_, file) => [ENVOY, '-c', file, '--disable-hot-restart', '-l', 'warn'],
  },
};

/** For the options of a suite. */
export function missing({ program }: Recipe): string | false {
  return program && !existsSync(program) ? `${program} is missing: node runtime/proxies.mjs` : false;
}

/** `guard` and `api`: ports on this machine. */
export async function startRecipe(
  name: string,
  guard: number,
  api: number,
  port?: number,
  host = 'orders.example.com',
  changed = (lua: string) => lua,
): Promise<RunningProxy> {
  const { file, command, around = (text) => text } = RECIPES[name] as Recipe;
  const folder = temporaryFolder(`guard-${name}`);
  port ??= await freePort();
  const here = (path: string) =>
    readFileSync(join(ROOT, 'deploy/guard', path), 'utf8')
      .replaceAll('127.0.0.1:9300', `127.0.0.1:${guard}`)
      .replaceAll('127.0.0.1:8080', `127.0.0.1:${api}`)
      .replaceAll('/etc/haproxy', folder)
      .replaceAll('orders.example.com', host)
      .replace('listen 80;', `listen 127.0.0.1:${port};`)
      .replace('bind :80', `bind 127.0.0.1:${port}`)
      .replace('0.0.0.0, port_value: 80 ', `127.0.0.1, port_value: ${port} `)
      .replace('address: 127.0.0.1, port_value: 8080', `address: 127.0.0.1, port_value: ${api}`)
      .replace('address: 127.0.0.1, port_value: 9300', `address: 127.0.0.1, port_value: ${guard}`);
  writeFileSync(join(folder, 'tessera-guard.lua'), changed(here('tessera-guard.lua')));
  writeFileSync(join(folder, file), around(here(file), { folder, port }));
  return runIn(folder, port, command(folder, join(folder, file)));
}

export async function startUpstream(program = join(import.meta.dirname, 'upstream.py')): Promise<RunningProxy> {
  const port = await freePort();
  return runIn(temporaryFolder('upstream'), port, ['python3', program, String(port)]);
}

/** The command of the package, as a process. */
export async function startGuard(
  configuration: object,
  { resourceServer, ca }: Pick<VerifierOptions, 'resourceServer' | 'ca'>,
  port?: number,
): Promise<RunningProxy> {
  const folder = temporaryFolder('guard');
  port ??= await freePort();
  writeFileSync(join(folder, 'secret'), String(resourceServer.secret), { mode: 0o600 });
  writeFileSync(join(folder, 'ca.pem'), String(ca));
  writeFileSync(join(folder, 'guard.json'), JSON.stringify({ ...configuration, listen: [`127.0.0.1:${port}`] }));
  return runIn(folder, port, [process.execPath, join(ROOT, 'sdk/verify/src/bin.ts'), join(folder, 'guard.json')]);
}
