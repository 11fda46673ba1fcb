// Runs a configuration of deploy/ as it is: only addresses, ports, folders, certificates and the database are this machine's,
// and flags of the command set them.
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, globSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { parse, parseAllDocuments } from 'yaml';
import { loadConfig } from '../../src/config/load.ts';
import type { Config } from '../../src/config/schema.ts';
import { type Authority, type Issued, makeAuthority } from '../authority.ts';
import { commandEnvironment, TESSERA } from '../cli/command.ts';
import { type Answer, askPlainly, callerOver, type Question } from '../e2e/caller.ts';
import { KINDS, type RunningProxy, runIn, startProxy } from '../e2e/proxies/proxy.ts';
import { SERVER_AUTH } from '../e2e/service.ts';
import { eventually } from '../eventually.ts';
import { freePort } from '../free-port.ts';
import { PostgresServer } from '../store/postgres-server.ts';
import { temporaryFolder } from '../temporary-folder.ts';

const DEPLOY = join(import.meta.dirname, '../../deploy');
const HOST = 'tokens.example.com';

export interface Shipped {
  /** Its path below deploy/. */
  readonly name: string;
  /** The text of a ConfigMap, which Kubernetes writes to a file; undefined if the file itself is the configuration. */
  readonly embedded?: string;
}

/** Every configuration below deploy/: YAML files with listeners, and those in ConfigMaps. */
export function shippedConfigurations(): Shipped[] {
  return globSync('**/*.{yaml,yml}', { cwd: DEPLOY })
    .toSorted()
    .filter((name) => !name.startsWith('guard/')) // of proxies
    .filter((name) => /^\s*listeners:/m.test(readFileSync(join(DEPLOY, name), 'utf8')))
    .flatMap((name) => configurationsIn(name));
}

function configurationsIn(name: string): Shipped[] {
  const documents = parseAllDocuments(readFileSync(join(DEPLOY, name), 'utf8')).map((document) => document.toJS());
  const found = documents.flatMap(({ kind, data, listeners }): Shipped[] => {
    if (listeners) return [{ name }];
    const texts: readonly string[] = kind === 'ConfigMap' ? Object.values(data) : [];
    return texts.filter((text) => parse(text)?.listeners).map((embedded) => ({ name, embedded }));
  });
  assert.ok(found.length > 0, `deploy/${name} has listeners, and is no configuration that this test finds`);
  return found;
}

export interface RunningShipped {
  /** What the service runs with. */
  readonly config: Config;
  readonly authority: Authority;
  readonly ada: Issued;
  readonly folder: string;
  /** `--config` and `--set` for further commands. */
  readonly flags: readonly string[];
  /** Asks a listener directly. */
  readonly askListener: (index: number, question: Question) => Promise<Answer>;
  readonly stop: () => Promise<void>;
}

type Run = (args: readonly string[]) => Promise<string>;

/** Whatever was started ends, also if something later fails. */
type Ends = (() => Promise<unknown>)[];

/** `prepare` fills the store by commands, before the service starts. */
export async function startShipped(
  shipped: Shipped,
  tessera: Run,
  prepare: (run: Run, folder: string) => Promise<void>,
): Promise<RunningShipped> {
  const folder = temporaryFolder('shipped');
  const ends: Ends = [async () => rmSync(folder, { recursive: true, force: true })];
  const stop = async () => {
    for (const end of ends.splice(0).reverse()) await end();
  };
  try {
    return { ...(await startIn(folder, shipped, tessera, prepare, ends)), folder, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function startIn(
  folder: string,
  { name, embedded }: Shipped,
  tessera: Run,
  prepare: (run: Run, folder: string) => Promise<void>,
  ends: Ends,
): Promise<Omit<RunningShipped, 'folder' | 'stop'>> {
  const file = embedded === undefined ? join(DEPLOY, name) : join(folder, 'tessera.yaml');
  if (embedded !== undefined) writeFileSync(file, embedded);
  const authority = makeAuthority({ name: 'Example Root' });
  writeServerFiles(folder, authority);
  const { listeners, proxies, store } = loadConfig({ file, env: {} });
  const isProxied = proxies.addresses.length > 0;
  const ports = await Promise.all(listeners.map(freePort));
  const publicPort = isProxied ? await freePort() : (ports[0] ?? 0);
  const sets = machineSettings({ listeners, proxies }, folder, ports, publicPort);
  if (store.kind === 'postgres') {
    const database = await startDatabase(store.url.reveal());
    ends.push(() => database.server.remove());
    await tessera(['migrate-schema', '--as', database.asOwner]);
    sets.push(`store=${database.asNode}`);
  }
  const flags = ['--config', file, ...sets.flatMap((set) => ['--set', set])];
  // A file while commands change it; the service takes it from where the configuration says.
  const keyring = join(folder, 'keyring.json');
  const commandFlags = [...flags, '--set', `keyring=${keyring}`];
  await prepare((args) => tessera([...commandFlags, ...args]), folder);
  const config = loadConfig({ file, env: {}, sets });
  const variables = config.keyring.from === 'variable' ? { [config.keyring.name]: readFileSync(keyring, 'utf8') } : {};
  const service = serve(flags, variables);
  ends.push(service.stop);
  const askListener = listenerAsker(config, authority);
  const opsIndex = listeners.findIndex(({ doors }) => doors?.includes('ops'));
  await Promise.race([eventually('the service is ready', () => isReady(askListener, opsIndex)), service.failure]);
  if (isProxied) {
    const proxy = await startShippedProxy(name, { folder, authority, port: publicPort, node: ports[0] ?? 0 });
    ends.push(() => proxy.stop());
  }
  return { config, authority, ada: authority.issue({ commonName: 'ada' }), flags: commandFlags, askListener };
}

function writeServerFiles(folder: string, authority: Authority): void {
  const server = authority.issue({ commonName: HOST, dnsNames: ['localhost', HOST], usages: [SERVER_AUTH] });
  writeFileSync(join(folder, 'server.crt'), server.pem, { mode: 0o600 });
  writeFileSync(join(folder, 'server.key'), server.key, { mode: 0o600 });
  writeFileSync(join(folder, 'ca.pem'), authority.pem);
}

/** What no machine shares with another. */
function machineSettings(
  { listeners, proxies }: Pick<Config, 'listeners' | 'proxies'>,
  folder: string,
  ports: readonly number[],
  publicPort: number,
): string[] {
  return [
    `publicUrl=https://localhost:${publicPort}`,
    `dataFolder=${folder}`,
    ...listeners.flatMap(({ tls }, index) => [
      `listeners.${index}.host=127.0.0.1`,
      `listeners.${index}.port=${ports[index]}`,
      ...(tls ? [`listeners.${index}.tls.certificate=${folder}/server.crt`] : []),
      ...(tls ? [`listeners.${index}.tls.key=${folder}/server.key`] : []),
    ]),
    ...(proxies.addresses.length > 0 ? ['proxies.addresses=[127.0.0.1]'] : []),
  ];
}

/** With the roles of the compose file. The configuration names the database and the role of nodes. */
async function startDatabase(shipped: string) {
  const { username, pathname } = new URL(shipped);
  const name = pathname.slice(1);
  const server = await PostgresServer.start();
  const [, roles = ''] = /<<'SQL'\n([\s\S]*)SQL\n/.exec(readFileSync(join(DEPLOY, 'container/roles.sh'), 'utf8')) ?? [];
  await server.query(`CREATE DATABASE ${name}`);
  await server.query(roles.replace(/:'(\w+)'/g, "'$1'"), name);
  return { server, asNode: server.url(name, username), asOwner: server.url(name, 'tessera_owner') };
}

function serve(flags: readonly string[], variables: Record<string, string>) {
  const child: ChildProcess = spawn(process.execPath, [TESSERA, ...flags, 'serve'], {
    env: commandEnvironment(variables),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let printed = '';
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (text) => (printed += text));
  const ended = once(child, 'close');
  const failure = ended.then(() => Promise.reject(new Error(`the service ended: ${printed}`)));
  failure.catch(() => undefined); // it also ends when it is stopped
  const stop = async () => {
    child.kill('SIGTERM');
    await ended;
  };
  return { failure, stop };
}

function listenerAsker({ listeners }: Config, { pem }: Authority): RunningShipped['askListener'] {
  return async (index, question) => {
    const { port = 0, tls } = listeners[index] ?? {};
    // A stop would wait for the next request on a connection that is kept.
    if (!tls) return askPlainly(port, { ...question, headers: { ...question.headers, connection: 'close' } });
    const caller = callerOver('HTTP/1.1', { port, ca: pem });
    return caller.ask(question).finally(() => caller.close());
  };
}

async function isReady(ask: RunningShipped['askListener'], index: number): Promise<boolean> {
  try {
    return (await ask(index, { path: '/readyz' })).status === 200;
  } catch {
    return false; // it does not listen yet
  }
}

interface Proxied {
  readonly folder: string;
  readonly authority: Authority;
  readonly port: number;
  /** The port of the node's first listener. */
  readonly node: number;
}

/** Caddy if compose.yaml mounts its file, or nginx as ingress-nginx is told by ingress.yaml. */
function startShippedProxy(name: string, proxied: Proxied): Promise<RunningProxy> {
  const beside = dirname(join(DEPLOY, name));
  const [compose, ingress] = [join(beside, '../compose.yaml'), join(beside, 'ingress.yaml')];
  if (existsSync(ingress)) return startIngress(readFileSync(ingress, 'utf8'), proxied);
  assert.ok(existsSync(compose), `${relative(DEPLOY, beside)} expects a proxy and ships none`);
  assert.match(readFileSync(compose, 'utf8'), /\.\.\/proxies\/caddy\/Caddyfile:/);
  const { folder, authority, node, port } = proxied;
  const serverFiles = { certificate: join(folder, 'server.crt'), key: join(folder, 'server.key') };
  return startProxy('caddy', { serverFiles, authority, nodes: [node] }, { port });
}

async function startIngress(text: string, { folder: files, port, node }: Proxied): Promise<RunningProxy> {
  const folder = temporaryFolder('nginx');
  const here = serverOfIngress(text)
    .replaceAll('/etc/proxy', files)
    .replaceAll('tessera:tokens', `127.0.0.1:${node}`)
    .replace('listen 443', `listen 127.0.0.1:${port}`);
  writeFileSync(join(folder, 'conf'), KINDS.nginx.around(here, { folder, port }));
  return runIn(folder, port, KINDS.nginx.command(folder));
}

interface Ingress {
  readonly metadata: { readonly annotations: Readonly<Record<string, string>> };
  readonly spec: {
    readonly rules: readonly {
      readonly host: string;
      readonly http: { readonly paths: readonly IngressPath[] };
    }[];
  };
}

interface IngressPath {
  readonly path: string;
  readonly pathType: string;
  readonly backend: { readonly service: { readonly name: string; readonly port: { readonly name: string } } };
}

/** What the controller's template makes of the annotations that the file has. */
function serverOfIngress(text: string): string {
  const { metadata, spec } = parse(text) as Ingress;
  const annotation = (key: string) => metadata.annotations[`nginx.ingress.kubernetes.io/${key}`];
  assert.equal(annotation('auth-tls-pass-certificate-to-upstream'), 'true');
  assert.equal(spec.rules.length, 1);
  const [{ host, http } = assert.fail()] = spec.rules;
  const locations = http.paths.map(({ path, pathType, backend: { service } }) => {
    assert.equal(pathType, 'Prefix');
    return `location ${path} {
        proxy_pass ${annotation('backend-protocol')?.toLowerCase()}://${service.name}:${service.port.name};
        proxy_ssl_verify ${annotation('proxy-ssl-verify')};
        proxy_ssl_name ${annotation('proxy-ssl-name')};
        proxy_ssl_server_name on;
        proxy_ssl_trusted_certificate /etc/proxy/ca.pem;
        proxy_http_version 1.1;
        proxy_set_header Connection "";
        proxy_set_header Host $host;
        proxy_set_header X-Forwarded-For $remote_addr;
        proxy_set_header ssl-client-cert $ssl_client_escaped_cert;
      }`;
  });
  return `server {
    listen 443 ssl;
    server_name ${host};
    ssl_certificate /etc/proxy/server.crt;
    ssl_certificate_key /etc/proxy/server.key;
    ssl_verify_client ${annotation('auth-tls-verify-client')};
    ${locations.join('\n')}
  }`;
}
