// Real proxies in front of the service, each with the very configuration that a page of docs/ shows.
// Needs: nginx, haproxy, apache2, caddy
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { eventually } from '../../eventually.ts';
import { freePort } from '../../free-port.ts';
import { isListening } from '../../listening.ts';
import { temporaryFolder } from '../../temporary-folder.ts';
import type { TestService } from '../service.ts';

export const PROXIES = ['nginx', 'haproxy', 'apache', 'caddy'] as const;
export type ProxyName = (typeof PROXIES)[number];

export interface RunningProxy {
  readonly port: number;
  stop(): Promise<void>;
}

interface Kind {
  readonly header: 'rfc9440' | 'url-encoded-pem';
  /** The command, given the folder; and the file it reads, around the snippet of the page. */
  readonly command: (folder: string) => readonly [string, ...string[]];
  readonly around: (snippet: string, folder: string, port: number) => string;
}

/** What a distribution's own configuration provides around the snippet, cut down to a folder and no privileges. */
export const KINDS: Readonly<Record<ProxyName, Kind>> = {
  nginx: {
    header: 'url-encoded-pem',
    command: (folder) => ['nginx', '-p', folder, '-c', join(folder, 'conf'), '-e', join(folder, 'log')],
    around: (snippet, folder) => `
      daemon off; master_process off; pid ${folder}/pid; error_log ${folder}/log;
      events {}
      http {
        access_log off;
        client_body_temp_path ${folder}; proxy_temp_path ${folder}; fastcgi_temp_path ${folder};
        uwsgi_temp_path ${folder}; scgi_temp_path ${folder};
        ${snippet}
      }`,
  },
  haproxy: {
    header: 'rfc9440',
    command: (folder) => ['haproxy', '-db', '-q', '-f', join(folder, 'conf')],
    around: (snippet) => `
defaults
    timeout connect 5s
    timeout client 30s
    timeout server 30s
${snippet}`,
  },
  apache: {
    header: 'url-encoded-pem',
    command: (folder) => ['apache2', '-D', 'FOREGROUND', '-f', join(folder, 'conf')],
    around: (snippet, folder, port) =>
      [
        ...['mpm_event', 'authz_core', 'ssl', 'headers', 'proxy', 'proxy_http'].map(
          (name) => `LoadModule ${name}_module /usr/lib/apache2/modules/mod_${name}.so`,
        ),
        `ServerRoot ${folder}\nDefaultRuntimeDir ${folder}\nPidFile ${folder}/pid\nErrorLog ${folder}/log`,
        `ServerName localhost\nUser #65534\nGroup #65534\nStartServers 1\nListen 127.0.0.1:${port}\n`,
        snippet,
      ].join('\n'),
  },
  caddy: {
    header: 'rfc9440',
    command: (folder) => ['caddy', 'run', '--adapter', 'caddyfile', '--config', join(folder, 'conf')],
    around: (snippet, folder) => `
{
  admin off
  auto_https off
  storage file_system ${folder}
}
${snippet}`,
  },
};

/** The block of the page, with its example values replaced by those of the test. */
function snippetOf(name: ProxyName, page: string, files: string, port: number, backPort: number): string {
  return shownOn(page, name, [
    [/\/etc\/proxy/g, files],
    [/127\.0\.0\.1:8080/g, `127.0.0.1:${backPort}`],
    [/listen 443/g, `listen 127.0.0.1:${port}`],
    [/bind :443/g, `bind 127.0.0.1:${port}`],
    [/\*:443/g, `127.0.0.1:${port}`],
    [/^tokens\.example\.com \{/gm, `https://localhost:${port} {`],
    [/tokens\.example\.com/g, 'localhost'],
  ]);
}

/** The block of a page in this language, with some texts replaced. */
export function shownOn(page: string, language: string, replacements: readonly (readonly [RegExp, string])[]): string {
  const snippet = new RegExp(`\`\`\`${language}\n([\\s\\S]*?)\`\`\``).exec(readFileSync(page, 'utf8'))?.[1];
  if (!snippet) throw new Error(`${page} shows no ${language}`);
  return replacements.reduce((text, [from, to]) => text.replace(from, to), snippet);
}

/** Starts a proxy with the configuration that `page` shows for it. */
export async function startProxy(
  name: ProxyName,
  service: TestService,
  page = 'docs/proxies.md',
): Promise<RunningProxy> {
  const folder = temporaryFolder(name);
  const port = await freePort();
  writeFiles(folder, service);
  const kind = KINDS[name];
  writeFileSync(join(folder, 'conf'), kind.around(snippetOf(name, page, folder, port, service.port), folder, port));
  return runIn(folder, port, kind.command(folder));
}

/** Runs a server in its folder, until it is stopped. */
export async function runIn(
  folder: string,
  port: number,
  [command, ...args]: readonly [string, ...string[]],
): Promise<RunningProxy> {
  const env = {
    PATH: `${process.env['PATH']}:/usr/sbin`,
    HOME: folder,
    XDG_DATA_HOME: folder,
    XDG_CONFIG_HOME: folder,
  };
  const child = spawn(command, args, { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'] });
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (text) => appendFileSync(join(folder, 'log'), text));
  const ended = endOf(child);
  await Promise.race([
    eventually(`port ${port} accepts connections`, () => isListening(port)),
    ended.then(() => Promise.reject(new Error(`${command}: ${read(folder, 'log')}`))),
  ]);
  return {
    port,
    stop: async () => {
      child.kill('SIGTERM');
      await ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

export function writeFiles(folder: string, { serverFiles, authority }: TestService): void {
  const [certificate, key] = [readFileSync(serverFiles.certificate, 'utf8'), readFileSync(serverFiles.key, 'utf8')];
  writeFileSync(join(folder, 'server.crt'), certificate);
  writeFileSync(join(folder, 'server.key'), key, { mode: 0o600 });
  writeFileSync(join(folder, 'server.pem'), certificate + key, { mode: 0o600 });
  writeFileSync(join(folder, 'issuers.pem'), authority.pem);
}

/** `close`, not `exit`: what it printed last may arrive after its end. */
async function endOf(child: ChildProcess): Promise<void> {
  await Promise.race([once(child, 'close'), once(child, 'error')]);
}

function read(folder: string, name: string): string {
  try {
    return readFileSync(join(folder, name), 'utf8');
  } catch {
    return 'it could not be started: is its package installed? runtime/needs.mjs names it';
  }
}
