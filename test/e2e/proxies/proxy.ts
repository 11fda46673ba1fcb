// Real proxies in front of the service, each with the very file of deploy/proxies.
// Needs: nginx, haproxy, apache2, caddy
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { eventually } from '../../eventually.ts';
import { freePort } from '../../free-port.ts';
import { isListening } from '../../listening.ts';
import { temporaryFolder } from '../../temporary-folder.ts';
import type { Home } from '../service.ts';

const ROOT = join(import.meta.dirname, '../../..');

/** Those of deploy/proxies. */
export const SHIPPED_PROXIES = ['caddy', 'nginx', 'haproxy'] as const;
export const PROXIES = [...SHIPPED_PROXIES, 'apache'] as const;
export type ProxyName = (typeof PROXIES)[number];

export interface RunningProxy extends AsyncDisposable {
  readonly port: number;
  /** Of the process that was started; nginx and HAProxy have workers below it. */
  readonly pid: number;
  /** What it printed and logged. */
  readonly log: () => string;
  /** Resolves when it has ended, for whatever reason. */
  readonly ended: Promise<void>;
  stop(): Promise<void>;
}

export interface ReloadableProxy extends RunningProxy {
  /** Reads its file again without dropping a connection, as an operator does it. */
  reload(): Promise<void>;
}

/** What the proxy stands in front of. */
export interface Behind extends Pick<Home, 'serverFiles' | 'authority'> {
  /** The ports of the nodes' plain listeners on 127.0.0.1. */
  readonly nodes: readonly number[];
}

export interface ProxyOptions {
  /** Another file of deploy/proxies. */
  readonly file?: string;
  /** For a smaller limit, which a test reaches sooner. */
  readonly change?: (text: string) => string;
  /** If it must be known before. */
  readonly port?: number;
  /** A command that starts the proxy, such as taskset. */
  readonly under?: readonly string[];
}

/** What this machine has in place of the example's. */
interface Here {
  readonly folder: string;
  readonly port: number;
  readonly httpPort: number;
  readonly nodes: readonly number[];
}

type Variables = Readonly<Record<string, string>>;
type Command = readonly [string, ...string[]];

interface Kind {
  readonly header: 'rfc9440' | 'url-encoded-pem';
  /** Below deploy/proxies. */
  readonly file: string;
  readonly command: (folder: string) => Command;
  /** What a distribution's own configuration provides around it, cut down to a folder and no privileges. */
  readonly around: (text: string, here: Pick<Here, 'folder' | 'port'> & Partial<Here>) => string;
  readonly variables?: (here: Here) => Variables;
  readonly reload?: (pid: number, folder: string, variables: Variables) => Promise<unknown>;
}

export const KINDS: Readonly<Record<ProxyName, Kind>> = {
  caddy: {
    header: 'rfc9440',
    file: 'caddy/Caddyfile',
    command: (folder) => ['caddy', 'run', '--adapter', 'caddyfile', '--config', join(folder, 'conf')],
    around: (text, { folder, httpPort }) =>
      text.replace(
        /^\{\n/m,
        `{\n\tadmin unix/${folder}/admin\n\thttp_port ${httpPort}\n\tstorage file_system ${folder}\n`,
      ),
    variables: ({ folder, port, nodes }) => ({
      SITE: `https://localhost:${port}`,
      NODES: nodes.map((node) => `127.0.0.1:${node}`).join(' '),
      CERTIFICATE: `${folder}/server.crt ${folder}/server.key`,
    }),
    reload: (_pid, folder, variables) => {
      const file = ['--adapter', 'caddyfile', '--config', join(folder, 'conf')];
      return promisify(execFile)('caddy', ['reload', '--force', '--address', `unix/${folder}/admin`, ...file], {
        env: { ...environment(folder), ...variables },
      });
    },
  },
  nginx: {
    header: 'url-encoded-pem',
    file: 'nginx/tessera.conf',
    command: (folder) => ['nginx', '-p', folder, '-c', join(folder, 'conf'), '-e', join(folder, 'log')],
    around: (text, { folder }) => `
      user root; daemon off; worker_processes 2; pid ${folder}/pid; error_log ${folder}/log;
      events { worker_connections 10000; }
      http {
        access_log off;
        client_body_temp_path ${folder}; proxy_temp_path ${folder}; fastcgi_temp_path ${folder};
        uwsgi_temp_path ${folder}; scgi_temp_path ${folder};
        ${text}
      }`,
    reload: async (pid) => process.kill(pid, 'SIGHUP'),
  },
  haproxy: {
    header: 'rfc9440',
    file: 'haproxy/haproxy.cfg',
    command: (folder) => ['haproxy', '-W', '-db', '-f', join(folder, 'conf')],
    around: (text) => text,
    reload: async (pid) => process.kill(pid, 'SIGUSR2'),
  },
  apache: {
    header: 'url-encoded-pem',
    file: 'apache/tessera.conf',
    command: (folder) => ['apache2', '-D', 'FOREGROUND', '-f', join(folder, 'conf')],
    around: (text, { folder, port }) =>
      [
        ...['mpm_event', 'authz_core', 'ssl', 'headers', 'proxy', 'proxy_http'].map(
          (name) => `LoadModule ${name}_module /usr/lib/apache2/modules/mod_${name}.so`,
        ),
        `ServerRoot ${folder}\nDefaultRuntimeDir ${folder}\nPidFile ${folder}/pid\nErrorLog ${folder}/log`,
        `ServerName localhost\nUser #65534\nGroup #65534\nStartServers 1\nListen 127.0.0.1:${port}\n`,
        text,
      ].join('\n'),
  },
};

/** Starts a proxy in front of the nodes. Callers reach it by the name `localhost`, in TLS and in the header Host. */
export async function startProxy(
  name: ProxyName,
  behind: Behind,
  { file = KINDS[name].file, change = (text) => text, port, under = [] }: ProxyOptions = {},
): Promise<ReloadableProxy> {
  const folder = temporaryFolder(name);
  const here: Here = { folder, port: port ?? (await freePort()), httpPort: await freePort(), nodes: behind.nodes };
  const { around, command, reload, ...kind } = KINDS[name];
  const variables = kind.variables?.(here) ?? {};
  writeFiles(folder, behind);
  const text = readFileSync(join(ROOT, 'deploy/proxies', file), 'utf8');
  writeFileSync(join(folder, 'conf'), around(onThisMachine(change(text), here), here));
  const running = await runIn(folder, here.port, [...under, ...command(folder)] as unknown as Command, variables);
  return { ...running, reload: async () => void (await reload?.(running.pid, folder, variables)) };
}

/** The text, with its example values replaced by those of the test. Caddy takes most of them from variables. */
function onThisMachine(text: string, { folder, port, nodes }: Here): string {
  return text
    .replace(SERVER_LINE, (_, server: string, name: string, rest: string) =>
      nodes.map((node, index) => `${server}${name.replace('1', String(index + 1))}127.0.0.1:${node}${rest}`).join('\n'),
    )
    .replaceAll('127.0.0.1:8080', `127.0.0.1:${nodes[0]}`)
    .replaceAll('/etc/proxy', folder)
    .replaceAll('listen 443', `listen 127.0.0.1:${port}`)
    .replaceAll('bind :443', `bind 127.0.0.1:${port}`)
    .replaceAll('*:443', `127.0.0.1:${port}`)
    .replaceAll('tokens.example.com', 'localhost');
}

/** How nginx and HAProxy name a node, which HAProxy gives a name. */
const SERVER_LINE = /^( *server )((?:node-1 )?)127\.0\.0\.1:8080(.*)$/gm;

/** The block of a page in this language. */
export function blockOf(page: string, language: string): string {
  const block = new RegExp(`\`\`\`${language}\n([\\s\\S]*?)\`\`\``).exec(readFileSync(join(ROOT, page), 'utf8'))?.[1];
  if (!block) throw new Error(`${page} shows no ${language}`);
  return block;
}

/** Runs a server in its folder, until it is stopped. */
export async function runIn(
  folder: string,
  port: number,
  [command, ...args]: Command,
  variables: Variables = {},
): Promise<RunningProxy> {
  const child = spawn(command, args, {
    cwd: folder,
    env: { ...environment(folder), ...variables },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (text) => appendFileSync(join(folder, 'log'), text));
  let hasEnded = false;
  const ended = endOf(child).then(() => {
    hasEnded = true;
  });
  const log = () => read(folder, 'log');
  const stop = async () => {
    child.kill('SIGTERM');
    await ended;
    rmSync(folder, { recursive: true, force: true });
  };
  await using starting = new AsyncDisposableStack(); // one that does not start is not left running
  starting.defer(stop);
  await eventually(`port ${port} accepts connections`, () => hasEnded || isListening(port));
  if (hasEnded) throw new Error(`${command}: ${log()}`);
  starting.move();
  return { port, pid: child.pid ?? 0, log, ended, stop, [Symbol.asyncDispose]: stop };
}

function environment(folder: string) {
  return { PATH: `${process.env['PATH']}:/usr/sbin`, HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder };
}

export function writeFiles(folder: string, { serverFiles, authority }: Pick<Home, 'serverFiles' | 'authority'>): void {
  const [certificate, key] = [readFileSync(serverFiles.certificate, 'utf8'), readFileSync(serverFiles.key, 'utf8')];
  writeFileSync(join(folder, 'server.crt'), certificate);
  writeFileSync(join(folder, 'server.key'), key, { mode: 0o600 });
  writeFileSync(join(folder, 'server.pem'), certificate + key, { mode: 0o600 });
  writeFileSync(join(folder, 'issuers.pem'), authority.pem);
}

/** `close`, not `exit`: what it printed last may arrive after its end. Rejects if its program is missing, which has ended it too. */
async function endOf(child: ChildProcess): Promise<void> {
  await once(child, 'close').catch(() => undefined);
}

function read(folder: string, name: string): string {
  try {
    return readFileSync(join(folder, name), 'utf8');
  } catch {
    return 'it could not be started: is its package installed? runtime/needs.mjs names it';
  }
}
