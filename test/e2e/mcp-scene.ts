// A service, the MCP server of examples/mcp, and clients of the official packages.
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { resourceServers } from '../../src/store/tables/resource-servers.ts';
import { systemRandom } from '../../src/system.ts';
import { drawResourceServerSecret } from '../../src/tokens/resource-server-secret.ts';
import { decisionOf } from '../doors/pages/asking-program.ts';
import { type RunningService, type ServiceOptions, startService } from '../doors/pages/running-service.ts';
import { signedIn, type Visitor } from '../doors/pages/visitor.ts';
import { eventually } from '../eventually.ts';
import { freePort } from '../free-port.ts';
import { ROOT } from '../house/sources.ts';
import { aResourceServer } from '../samples.ts';
import { temporaryFolder } from '../temporary-folder.ts';
import type { Order } from './mcp-client.ts';

/** A program of examples/mcp. */
export function example(name: 'server.mjs' | 'agent.mjs'): string {
  return readFileSync(join(ROOT, 'examples/mcp', name), 'utf8');
}

export interface Printed {
  readonly tokens?: Record<string, string>;
  readonly open?: string;
  readonly called?: string;
  readonly scope?: string;
  readonly refused?: string;
}

export class McpScene {
  readonly service: RunningService;
  readonly url: string;
  readonly folder: string;
  readonly secret: string;
  ada: Visitor;
  readonly #children: ChildProcess[] = [];
  #server: ChildProcess | undefined;

  private constructor(service: RunningService, ada: Visitor, url: string, folder: string, secret: string) {
    this.service = service;
    this.ada = ada;
    this.url = url;
    this.folder = folder;
    this.secret = secret;
  }

  static async open(options: ServiceOptions): Promise<McpScene> {
    const service = await startService(options);
    const url = `http://localhost:${await freePort()}/mcp`;
    const { secret, hash } = drawResourceServerSecret(systemRandom);
    const now = await service.store.now();
    const server = { id: 'orders-mcp', audience: url, resources: ['orders'], secrets: [{ hash, createdAt: now }] };
    const row = aResourceServer(server as object);
    await service.store.change(resourceServers, row.id, () => ({ outcome: undefined, next: row }));
    const folder = temporaryFolder('mcp');
    writeFileSync(join(folder, 'authority.pem'), service.authority);
    linkPackages(folder);
    return new McpScene(service, await signedIn(service), url, folder, secret.reveal());
  }

  /** Runs a file with the text, with the addresses of this scene. */
  run(name: string, text: string, env: NodeJS.ProcessEnv = {}, isQuiet = false): ChildProcess {
    const file = join(this.folder, name);
    const port = new URL(this.url).port;
    const own = text
      .replaceAll('https://localhost:8443', this.service.url)
      .replaceAll('http://localhost:3001', `http://localhost:${port}`)
      .replaceAll('port: 3001', `port: ${port}`);
    writeFileSync(file, own);
    return this.#start(file, env, isQuiet);
  }

  async serve(text: string): Promise<void> {
    await this.#serve(this.run('server.mjs', text, { TESSERA_SECRET: this.secret }));
  }

  /** The server of the 1.x package, instead of the one that runs. */
  async serveFirst(): Promise<void> {
    const { url: audience, secret } = this;
    const ORDER = JSON.stringify({ issuer: this.service.url, secret, audience, sdk: '1' });
    this.#server?.kill('SIGKILL');
    await this.#serve(this.#start(fileURLToPath(new URL('mcp-express-server.ts', import.meta.url)), { ORDER }));
  }

  async #serve(server: ChildProcess): Promise<void> {
    this.#server = server;
    const isUp = async () => (await fetch(this.url).catch(() => undefined))?.status === 401;
    await eventually('the MCP server answers', isUp);
  }

  /** What a client prints; the person confirms whatever it opens. */
  async client(order: Omit<Order, 'url' | 'redirectUri'>): Promise<Printed[]> {
    const redirectUri = `http://127.0.0.1:${await freePort()}/callback`;
    return this.converse(new URL('mcp-client.ts', import.meta.url), {
      url: this.url,
      redirectUri,
      ...order,
    } satisfies Order);
  }

  /** Runs a program of this folder that prints the address to open, and reads what the redirect carried. */
  async converse(program: URL, order: object): Promise<Printed[]> {
    const ORDER = JSON.stringify(order);
    const child = this.#start(fileURLToPath(program), { ORDER });
    const lines: Printed[] = [];
    for await (const line of createInterface({ input: child.stdout as NodeJS.ReadableStream })) {
      const said = JSON.parse(line) as Printed;
      lines.push(said);
      if (said.open) child.stdin?.write(`${await this.confirm(said.open)}\n`);
    }
    return lines;
  }

  /** The query of the redirect, which is followed if `isFollowed`. */
  async confirm(address: string, isFollowed = false): Promise<string> {
    const { text } = await this.ada.get(address.slice(this.service.url.length));
    const { headers, status } = await this.ada.post('/oauth2/authorize', decisionOf(text, 'confirm'));
    if (!headers.location) throw new Error(`not confirmed: ${status} ${text}`);
    if (isFollowed) await fetch(headers.location);
    return new URL(headers.location).searchParams.toString();
  }

  async close(): Promise<void> {
    for (const child of this.#children) child.kill('SIGKILL');
    await this.service.stop();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #start(file: string, env: NodeJS.ProcessEnv, isQuiet = false): ChildProcess {
    const own = { ...process.env, NODE_EXTRA_CA_CERTS: join(this.folder, 'authority.pem'), HOME: this.folder, ...env };
    const child = spawn(process.execPath, [file], { cwd: this.folder, env: own, stdio: 'pipe' });
    child.stderr?.setEncoding('utf8');
    if (!isQuiet) child.stderr?.pipe(process.stderr);
    this.#children.push(child);
    return child;
  }
}

/** The packages of this checkout, and our own from their sources. */
function linkPackages(folder: string): void {
  const modules = join(folder, 'node_modules');
  mkdirSync(join(modules, '@tessera'), { recursive: true });
  for (const name of readdirSync(join(ROOT, 'node_modules')))
    if (!name.startsWith('.') && name !== '@tessera')
      symlinkSync(join(ROOT, 'node_modules', name), join(modules, name));
  for (const name of ['verify', 'client']) {
    const own = join(modules, '@tessera', name);
    mkdirSync(own);
    const source = pathToFileURL(join(ROOT, 'sdk', name, 'src', `${name}.ts`)).href;
    writeFileSync(join(own, 'package.json'), JSON.stringify({ type: 'module', exports: './index.js' }));
    writeFileSync(join(own, 'index.js'), `export * from ${JSON.stringify(source)};\n`);
  }
}
