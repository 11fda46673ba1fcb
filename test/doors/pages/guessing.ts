// Signed-in people who guess user codes from many addresses. No real waiting: the test drives the clock.
import type { IdentityId } from '../../../src/core/identity.ts';
import type { Person } from '../../../src/core/person.ts';
import { DEFAULT_SETTINGS } from '../../../src/core/settings.ts';
import { type EpochSeconds, epochSeconds } from '../../../src/core/time.ts';
import { sideBySide } from '../../../src/directory/side-by-side.ts';
import { enterUserCode } from '../../../src/operations/device/decide-device.ts';
import { startDevice } from '../../../src/operations/device/start-device.ts';
import type { Ports } from '../../../src/operations/ports.ts';
import type { Store } from '../../../src/store/store.ts';
import { devices } from '../../../src/store/tables/devices.ts';
import { systemRandom } from '../../../src/system.ts';
import { firstKey, Keyring } from '../../../src/tokens/keyring.ts';
import { NO_DIRECTORY } from '../../node.ts';
import { oneIntegration } from '../../one-integration.ts';
import { anIntegration, NOW, PASSWORD_PROOF } from '../../samples.ts';
import { memoryStore } from './memory-store.ts';

export interface GuessingOptions {
  readonly identities: number;
  readonly guesses: number;
  /** Guesses that all identities together make in one second. */
  readonly perSecond: number;
}

export interface GuessingResult {
  /** Guesses that were compared with the pending codes. */
  readonly evaluated: number;
  readonly hits: number;
  /** The most guesses of one identity evaluated in the lifetime of one pending code. */
  readonly mostPerCode: number;
}

const LETTERS = 'BCDFGHJKLMNPQRSTVWXZ';

export async function guess({ identities, guesses, perSecond }: GuessingOptions): Promise<GuessingResult> {
  let now: EpochSeconds = NOW;
  let lookUps = 0;
  const ports = portsOf(
    memoryStore(() => now),
    () => now,
    () => lookUps++,
  );
  const people = Array.from({ length: identities }, (_, index) => personOf(index));
  const evaluatedAt = people.map((): EpochSeconds[] => []);
  const integration = anIntegration();
  let hits = 0;
  for (let made = 0; made < guesses; made++) {
    now = epochSeconds(NOW + Math.floor(made / perSecond));
    // Somebody else's code is pending all the time.
    if (made % (perSecond * 60) === 0) {
      await startDevice({ clientId: integration.clientId, scope: 'orders:read', presenter: PRESENTER }, ports);
    }
    const index = made % identities;
    const person = people[index];
    const times = evaluatedAt[index];
    if (!person || !times) throw new Error('nobody guesses');
    const before = lookUps;
    const outcome = await enterUserCode(drawGuess(), person, ports);
    if (lookUps > before) times.push(now);
    if (outcome.ok) hits += 1;
  }
  const evaluated = evaluatedAt.reduce((sum, times) => sum + times.length, 0);
  return { evaluated, hits, mostPerCode: Math.max(...evaluatedAt.map(mostWithinALifetime)) };
}

const PRESENTER = { address: '192.0.2.7', agent: 'curl/8' };

/** A code lives from its start up to, and not including, its end: the worst window begins at one of the guesses. */
function mostWithinALifetime(times: readonly EpochSeconds[]): number {
  let most = 0;
  let first = 0;
  times.forEach((time, last) => {
    while (time - (times[first] ?? time) >= DEFAULT_SETTINGS.deviceCodeLifetime) first += 1;
    most = Math.max(most, last - first + 1);
  });
  return most;
}

function drawGuess(): string {
  return [...systemRandom(8)].map((byte) => LETTERS[byte % LETTERS.length]).join('');
}

function personOf(index: number): Person {
  const id = `local:${index.toString(16).padStart(8, '0')}` as IdentityId;
  const identity = { id, enabled: true, mayUseApi: true, groups: [] };
  return { identity, session: `session ${index}`, proof: PASSWORD_PROOF };
}

/** Operations as the service composes them, on an in-memory store that reports lookups of codes. */
export function portsOf(store: Store, clock: () => EpochSeconds, onLookUp: () => void = () => undefined): Ports {
  const find: Store['find'] = (table, where, limit) => {
    if (table.name === devices.name) onLookUp();
    return store.find(table, where, limit);
  };
  return {
    store: { ...store, find },
    registry: oneIntegration(anIntegration()),
    keyring: new Keyring(firstKey()),
    directories: sideBySide(NO_DIRECTORY),
    settings: DEFAULT_SETTINGS,
    issuer: 'https://tokens.example',
    clock: { now: clock, milliseconds: () => clock() * 1000, running: clock },
    random: systemRandom,
  };
}
