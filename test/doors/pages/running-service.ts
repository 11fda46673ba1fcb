// The real service over real TLS, on a port of its own, with a clock that tests move.
import { rmSync, writeFileSync } from 'node:fs';
import { Agent } from 'node:https';
import { join } from 'node:path';
import { composeService, type Service } from '../../../src/compose/service.ts';
import { loadConfig } from '../../../src/config/load.ts';
import type { Identity, IdentityId } from '../../../src/core/identity.ts';
import type { Integration } from '../../../src/core/integration.ts';
import { type EpochSeconds, epochSeconds } from '../../../src/core/time.ts';
import { hashPassword } from '../../../src/directory/local/passwords.ts';
import { makeLog } from '../../../src/log/log.ts';
import { openStore } from '../../../src/open-store.ts';
import type { Clock } from '../../../src/operations/ports.ts';
import { makeDevelopmentAuthority } from '../../../src/pki/development-authority.ts';
import { insert, type Store } from '../../../src/store/store.ts';
import { identities, passwords } from '../../../src/store/tables/identities.ts';
import { integrations } from '../../../src/store/tables/integrations.ts';
import { systemClock, systemRandom } from '../../../src/system.ts';
import { firstKey, Keyring } from '../../../src/tokens/keyring.ts';
import { Secret } from '../../../src/tokens/secret.ts';
import { followed } from '../../e2e/registry-follows.ts';
import { freePort } from '../../free-port.ts';
import { anIntegration, scopeOf } from '../../samples.ts';
import { newSqlite } from '../../store/new-sqlite.ts';
import { temporaryFolder } from '../../temporary-folder.ts';

export const PASSWORD = 'canary-correct-horse-battery';

export const ADA = identity('ada', 'a');
export const BOB = identity('bob', 'b');
/** Known, but may not use the web API. */
const CYD = identity('cyd', 'c', { mayUseApi: false });

export const ORDERS = anIntegration({ scope: scopeOf('orders:read,write,delete;stock:read') });

function identity(userName: string, digit: string, difference: Partial<Identity> = {}): Identity {
  const id = `local:{00000000-0000-4000-8000-${digit.repeat(12)}}` as IdentityId;
  return { id, enabled: true, mayUseApi: true, groups: [], userName, ...difference };
}

/** Tests make more requests than a person would. */
const UNHURRIED = [
  'limits.requestsPerAddress.burst=100000',
  'limits.requestsPerIntegration.burst=100000',
  'limits.drainIdle=0s',
];

export interface RunningService extends AsyncDisposable {
  readonly url: string;
  /** The development authority's certificate, in PEM. */
  readonly authority: string;
  readonly store: Store;
  /** Keeps the connections of visitors. */
  readonly agent: Agent;
  readonly keyring: Keyring;
  /** Everything it has logged, at trace level. */
  readonly logged: () => string;
  /** Moves the clock forward. */
  readonly advance: (seconds: number) => void;
  /** Restarts it on the same data. */
  readonly restart: () => Promise<void>;
  readonly stop: () => Promise<void>;
}

interface Running {
  readonly service: Service;
  readonly store: Store;
  readonly leave: () => void;
}

export interface ServiceOptions {
  readonly sets?: readonly string[];
  readonly integrations?: readonly Integration[];
  /** Passwords are as slow to check as in a real service: for tests of response times. */
  readonly isHashSlow?: boolean;
  /** Another node of the same service, whose store is set by `sets`: it has the keys and the people. */
  readonly beside?: RunningService;
  /** Its clock stands still there, but for `advance`. */
  readonly at?: EpochSeconds;
}

export async function startService({
  sets = [],
  integrations: wanted = [ORDERS],
  isHashSlow = false,
  beside,
  at,
}: ServiceOptions = {}): Promise<RunningService> {
  const folder = temporaryFolder('pages');
  const port = await freePort();
  const authority = makeDevelopmentAuthority(new Date(), systemRandom);
  const server = authority.issueServer(['localhost', '127.0.0.1']);
  writeFileSync(join(folder, 'server.crt'), server.certificate);
  writeFileSync(join(folder, 'server.key'), server.key, { mode: 0o600 });
  const settings = [`dataFolder=${folder}`, `listeners.0.port=${port}`, 'log.level=trace', ...UNHURRIED, ...sets];
  const config = loadConfig({ env: {}, sets: settings });
  const clock = movableClock(at);
  const keyring = beside?.keyring ?? new Keyring(firstKey());
  const lines: string[] = [];
  const log = makeLog({
    level: 'trace',
    format: 'json',
    milliseconds: systemClock.milliseconds,
    destination: { write: (line) => lines.push(line) },
  });

  let agent = new Agent({ keepAlive: true });
  newSqlite(join(folder, 'tessera.db'));
  const start = async (): Promise<Running> => {
    const store = await openStore(config, 'init', clock);
    if (!running && !beside) await furnish(store, wanted, isHashSlow);
    const service = await composeService(config, store, keyring, log, clock);
    await service.listen();
    return { service, store, leave: followed(service) };
  };
  let running: Running | undefined;
  running = await start();
  const end = async () => {
    agent.destroy();
    running?.leave();
    await running?.service.stop();
  };
  const stop = async () => {
    await end();
    rmSync(folder, { recursive: true, force: true });
  };
  return {
    url: `https://localhost:${port}`,
    authority: authority.certificate,
    keyring,
    get store() {
      if (!running) throw new Error('the service is stopped');
      return running.store;
    },
    logged: () => lines.join(''),
    advance: (seconds) => clock.advance(seconds),
    get agent() {
      return agent;
    },
    restart: async () => {
      await end();
      agent = new Agent({ keepAlive: true });
      running = await start();
    },
    stop,
    [Symbol.asyncDispose]: stop,
  };
}

/** Of PASSWORD, with the least memory and one pass: a hash is checked with the cost that it names. */
const FAST_HASH = '$argon2id$v=19$m=8,t=1,p=1$/rpICxcSy+xMkz/V80HJ7Q$ccAYH8gBpsX7ZCgvNZIBvC1BPsm8KRUa5QZ5Vaz8vgo';

/** The people and integrations of these tests. All share one password hash. */
async function furnish(store: Store, wanted: readonly Integration[], isHashSlow: boolean): Promise<void> {
  const phc = isHashSlow ? await hashPassword(new Secret(PASSWORD)) : FAST_HASH;
  for (const person of [ADA, BOB, CYD]) {
    await store.change(identities, person.id, () => ({
      outcome: undefined,
      next: person,
      inserts: [insert(passwords, { identityId: person.id, phc })],
    }));
  }
  for (const integration of wanted) {
    await store.change(integrations, integration.clientId, () => ({ outcome: undefined, next: integration }));
  }
}

function movableClock(at?: EpochSeconds): Clock & { advance(seconds: number): void } {
  let ahead = 0;
  const milliseconds = () => (at === undefined ? Date.now() : at * 1000) + ahead;
  return {
    milliseconds,
    now: () => epochSeconds(milliseconds() / 1000),
    running: () => milliseconds() / 1000,
    advance: (seconds) => {
      ahead += seconds * 1000;
    },
  };
}
