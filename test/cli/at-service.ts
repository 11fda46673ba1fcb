// A service on the store of a transcript, and an operator who is logged in at it.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { composeService } from '../../src/compose/service.ts';
import { loadConfig, settingsOf } from '../../src/config/load.ts';
import type { IdentityId } from '../../src/core/identity.ts';
import { presenter } from '../../src/core/presenter.ts';
import { localDirectory } from '../../src/directory/local/local-directory.ts';
import { sideBySide } from '../../src/directory/side-by-side.ts';
import { DOOR_NAMES } from '../../src/doors/doors.ts';
import { makeLog } from '../../src/log/log.ts';
import { openStore } from '../../src/open-store.ts';
import { ACTS } from '../../src/operations/admin/acts.ts';
import { confirmCode } from '../../src/operations/device/ask-code.ts';
import { redeemCode } from '../../src/operations/device/redeem-device.ts';
import { FollowedRegistry } from '../../src/store/registry.ts';
import type { Store } from '../../src/store/store.ts';
import { identities } from '../../src/store/tables/identities.ts';
import { systemClock, systemRandom } from '../../src/system.ts';
import { Keyring } from '../../src/tokens/keyring.ts';
import { readKeyringFile } from '../../src/tokens/keyring-file.ts';
import { makeAuthority } from '../authority.ts';
import { issueServer } from '../e2e/service.ts';
import { freePort } from '../free-port.ts';
import { accepted } from '../node.ts';
import { anIdentity, scopeOf } from '../samples.ts';
import { temporaryFolder } from '../temporary-folder.ts';
import { Commands } from './commands.ts';

const OPERATOR = 'local:{0a1b2c3d-0000-4000-8000-0000000000f0}' as IdentityId;
const CALLBACK = 'http://127.0.0.1/callback';
const GENEROUS = { perMinute: 1_000_000, burst: 1_000_000 };
const GROUPS = new Set(Object.values(ACTS).map(({ command }) => command.split(/[ ,]/)[0] ?? ''));

/** Whether a command of a transcript can be done at a service, which has lists of its own and judges as of now. */
export function isForService([group = '', ...args]: readonly string[]): boolean {
  return GROUPS.has(group) && !args.some((word) => word === '--crl-file' || word === '--at');
}

/** The way to a service on the store in a folder. */
export class AtService {
  readonly #home = temporaryFolder('at-service');
  readonly commands = new Commands({ environment: this.environment });
  #running: { readonly server: string; readonly stop: () => Promise<void> } | undefined;

  get environment(): Record<string, string> {
    return { XDG_CONFIG_HOME: join(this.#home, 'config'), XDG_STATE_HOME: join(this.#home, 'state') };
  }

  /** Undefined before `init`. */
  get server(): string | undefined {
    return this.#running?.server;
  }

  async start(folder: string): Promise<void> {
    const port = await freePort();
    const server = `https://localhost:${port}`;
    const config = this.#config(folder, port);
    assert.equal(config.keyring.from, 'file');
    const keyring = new Keyring((config.keyring.from === 'file' && readKeyringFile(config.keyring.path)) || []);
    const store = await openStore(config, 'service');
    const next = anIdentity({ id: OPERATOR, userName: 'op', groups: ['operators'] });
    await store.change(identities, OPERATOR, () => ({ outcome: undefined, next }));
    const log = makeLog({ ...config.log, milliseconds: systemClock.milliseconds, destination: { write: () => {} } });
    const service = await composeService(config, withoutOperator(store), keyring, log);
    await service.listen();
    this.#running = { server, stop: () => service.stop() };
    const registry = await FollowedRegistry.load(store);
    const ports = {
      ...{ store, registry, keyring, settings: settingsOf(config), issuer: config.publicUrl, clock: systemClock },
      ...{ random: systemRandom, directories: sideBySide(localDirectory(store)) },
    };
    this.#save('config/tessera/profiles/default.json', { server, clientId: 'tessera-cli', by: 'device', ca: this.#ca });
    const tokens = {
      server,
      clientId: 'tessera-cli',
      accessToken: await operatorToken(ports),
      scope: 'tessera:manage',
    };
    const times = { obtainedAt: Date.now(), expiresAt: Date.now() + 3_600_000 };
    this.#save(`state/tessera/tokens/tessera-cli@localhost%3A${port}.json`, { ...tokens, ...times });
  }

  get #ca(): string {
    return join(this.#home, 'ca.pem');
  }

  #config(folder: string, port: number) {
    const { publicUrl } = loadConfig({ file: join(folder, 'tessera.yaml'), env: {} });
    const authority = makeAuthority({ name: 'Of the service' });
    const { pem, key } = issueServer(authority);
    const tls = { certificate: join(this.#home, 'server.crt'), key: join(this.#home, 'server.key') };
    writeFileSync(this.#ca, authority.pem);
    writeFileSync(tls.certificate, pem);
    writeFileSync(tls.key, key, { mode: 0o600 });
    const listeners = [{ host: '127.0.0.1', port, tls, doors: DOOR_NAMES }];
    const limits = { stopNotice: 0, drainIdle: 0, requestsPerAddress: GENEROUS, checksPerAddress: GENEROUS };
    const file = join(this.#home, 'tessera.yaml');
    writeFileSync(file, JSON.stringify({ publicUrl, dataFolder: join(folder, 'data'), listeners, limits }));
    return loadConfig({ file, env: {} });
  }

  #save(name: string, value: object): void {
    const path = join(this.#home, name);
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    writeFileSync(path, JSON.stringify(value), { mode: 0o600 });
  }

  async stop(): Promise<void> {
    await this.#running?.stop();
    this.#running = undefined;
  }

  async close(): Promise<void> {
    await this.commands.close();
    rmSync(this.#home, { recursive: true });
  }
}

/** Lists do not show the operator and their grant, which a transcript beside the store does not have. */
function withoutOperator(store: Store): Store {
  const isOther = (row: { readonly id?: string; readonly identityId?: string }) =>
    row.id !== OPERATOR && row.identityId !== OPERATOR;
  return { ...store, page: async (...given) => (await store.page(...given)).filter((row) => isOther(row as object)) };
}

/** By a code that was confirmed after a sign-in with a passkey. */
async function operatorToken(ports: Parameters<typeof confirmCode>[4]): Promise<string> {
  const verifier = 'v'.repeat(43);
  const integration = (await ports.registry.findIntegration('tessera-cli')) ?? assert.fail('there is no tessera-cli');
  const challenge = createHash('sha256').update(verifier).digest('base64url');
  const target = { scope: scopeOf('tessera:read,operate,manage'), resource: undefined, challenge };
  const { found, now } = await ports.store.load(identities, OPERATOR);
  const person = {
    identity: found?.row ?? assert.fail(),
    session: 'a session',
    proof: { by: 'passkey', at: now } as const,
  };
  const from = presenter('127.0.0.1', '');
  const client = { integration, redirectUri: CALLBACK };
  const code = accepted(await confirmCode(client, target, person, from, ports)).reveal();
  const request = { code, clientId: 'tessera-cli', redirectUri: CALLBACK, verifier, presenter: from };
  return accepted(
    await redeemCode({ ...request, guest: undefined, resource: undefined } as never, ports),
  ).accessToken.reveal();
}
