// A real installation that an operator runs by commands: a service in its own process, a keyring, and a store in a file or database.
// Own process: commands are ended after the file that loaded this.
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { after } from 'node:test';
import { type Guard, verifier } from '../../sdk/verify/src/verify.ts';
import { readKeys } from '../../src/config/keys.ts';
import { openStore } from '../../src/open-store.ts';
import { alignWithKeyring } from '../../src/operations/admin/signing-keys.ts';
import { openSqliteStore } from '../../src/store/sqlite/open.ts';
import { systemClock } from '../../src/system.ts';
import type { Issued } from '../authority.ts';
import { commandEnvironment, TESSERA } from '../cli/command.ts';
import { Commands } from '../cli/commands.ts';
import { freePort } from '../free-port.ts';
import { OPERATOR } from '../samples.ts';
import { type Caller, callerOver } from './caller.ts';
import { startProcess } from './process.ts';
import { type Home, makeHome, populate } from './service.ts';
import { SCOPE } from './steps.ts';

/** Its access tokens are opaque. */
export const CLIENT = 'orders-sync';
export const JWT_CLIENT = 'with-jwt';
export const WORKLOAD_CLIENT = 'deploy';

const commands = new Commands();
const running = new Set<ChildProcess>();
after(async () => {
  for (const child of running) child.kill('SIGKILL');
  await commands.close();
});

export class Installation {
  readonly home: Home;
  readonly issuer: string;
  /** Checks tokens, and follows the revocation feed. */
  readonly resourceServer = { id: 'orders-api', secret: '', audience: 'https://orders.example' };
  readonly #port: number;
  readonly #certificates = new Map<string, Issued>();
  #service: ChildProcess | undefined;
  readonly #connected = new Map<Issued | undefined, Caller>();
  #guard: Guard | undefined;

  private constructor(home: Home, port: number) {
    this.home = home;
    this.#port = port;
    this.issuer = home.config.publicUrl;
  }

  /** `store`: the address of a database. */
  static async make(store?: string): Promise<Installation> {
    const port = await freePort();
    const settings = {
      publicUrl: `https://localhost:${port}`,
      tokens: { refreshRetryWindow: '1h' },
      limits: { idleTimeout: '1h' }, // callers keep their connections, and a busy machine may not ask for minutes
      ...(store && { store }),
    };
    const home = makeHome({ listeners: [{ tls: true, port }], settings, signing: 'ES256' });
    const path = join(home.folder, 'tessera.db');
    const opened = store
      ? await openStore(home.config, 'command')
      : await openSqliteStore({ path, clock: systemClock.now });
    await populate(opened, home.authority);
    await alignWithKeyring(readKeys(home.config, {}) ?? [], { store: opened, by: OPERATOR });
    await opened.close();
    const made = new Installation(home, port);
    await made.#register();
    return made;
  }

  async #register(): Promise<void> {
    const { id, audience } = this.resourceServer;
    await this.run('resource-server', 'add', id, '--audience', audience, '--resource', 'orders');
    this.resourceServer.secret = await this.secretFor(id);
    await this.run('integration', 'add', WORKLOAD_CLIENT, '--scope', 'orders:read', '--assertion', 'yes');
    await this.run('integration', 'add', JWT_CLIENT, '--scope', SCOPE, '--access-token-format', 'jwt');
  }

  /** What a command prints; it must succeed. */
  async run(...args: readonly string[]): Promise<string> {
    const { status, printed } = await this.try(...args);
    assert.equal(status, 0, `tessera ${args.join(' ')}: ${printed}`);
    return printed;
  }

  try(...args: readonly string[]): ReturnType<Commands['run']> {
    return commands.run([...args, '--config', this.home.configFile], { folder: this.home.folder });
  }

  /** The part of what a command prints that the pattern captures. */
  async printed(pattern: RegExp, ...args: readonly string[]): Promise<string> {
    const printed = await this.run(...args);
    return pattern.exec(printed)?.[1] ?? assert.fail(printed);
  }

  secretFor(resourceServer: string): Promise<string> {
    return this.printed(/^(tsc_\S+)$/m, 'resource-server', 'secret', resourceServer);
  }

  async start(): Promise<void> {
    this.#service = (await startProcess(this.home)).process;
    running.add(this.#service);
  }

  async stop(): Promise<void> {
    this.#guard?.close();
    this.#guard = undefined;
    for (const caller of this.#connected.values()) caller.close();
    this.#connected.clear();
    if (this.#service) await stop(this.#service);
    this.#service = undefined;
  }

  /** Runs `tessera backup follow` until the function that it returns is called. */
  async backUp(folder: string): Promise<() => Promise<void>> {
    const args = [TESSERA, 'backup', 'follow', folder, '--config', this.home.configFile];
    const follower = spawn(process.execPath, args, {
      cwd: this.home.folder,
      env: commandEnvironment(),
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    running.add(follower);
    await once(createInterface({ input: follower.stdout }), 'line');
    return () => stop(follower);
  }

  /** A new follower of the revocation feed. */
  async follow(): Promise<void> {
    this.#guard?.close();
    this.#guard = await verifier({
      issuer: this.issuer,
      resourceServer: this.resourceServer,
      ca: this.home.authority.pem,
    });
  }

  get guard(): Guard {
    return this.#guard ?? assert.fail('nobody follows');
  }

  /** Without a certificate. */
  get caller(): Caller {
    return this.callerWith(undefined);
  }

  /** With a certificate that names this identity. */
  callerNamed(commonName: string): Caller {
    const known = this.#certificates.get(commonName) ?? this.home.authority.issue({ commonName });
    this.#certificates.set(commonName, known);
    return this.callerWith(known);
  }

  /** Its connections end with the service. */
  callerWith(certificate: Issued | undefined): Caller {
    const reach = { port: this.#port, ca: this.home.authority.pem, certificate };
    const ask: Caller['ask'] = (question) => {
      const connected = this.#connected.get(certificate) ?? callerOver('HTTP/1.1', reach);
      this.#connected.set(certificate, connected);
      return connected.ask(question);
    };
    return { protocol: 'HTTP/1.1', ask, close: () => undefined };
  }

  get site(): { readonly url: string; readonly authority: string } {
    return { url: this.issuer, authority: this.home.authority.pem };
  }

  async publishedKeys(): Promise<readonly string[]> {
    const { keys } = (await this.caller.ask({ path: '/oauth2/jwks' })).json as { keys: readonly { kid: string }[] };
    return keys.map(({ kid }) => kid);
  }
}

async function stop(child: ChildProcess): Promise<void> {
  const exit = once(child, 'exit');
  child.kill('SIGTERM');
  assert.deepEqual(await exit, [0, null]);
  running.delete(child);
}
