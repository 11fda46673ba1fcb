// Signing keys are rotated for months of simulated time, under load. Verifiers fetch the keys once an hour and check every
// living token by themselves, with jose: none may be refused.

import { createLocalJWKSet, type JSONWebKeySet, jwtVerify } from 'jose';
import { seconds } from '../../src/core/time.ts';
import { keySetOf } from '../../src/doors/oauth/key-set.ts';
import { rotateSigningKeys } from '../../src/operations/admin/signing-keys.ts';
import { storeOf } from '../../src/store/change.ts';
import { aJwtNode, type JwtNode } from '../../test/jwt-node.ts';
import { accepted, issue, refresh, TestClock } from '../../test/node.ts';
import { OPERATOR } from '../../test/samples.ts';
import type { Seeded } from '../../test/seeded.ts';
import { sqliteDatabase } from '../../test/store/sqlite-database.ts';
import { Broken } from './broken.ts';

const HOUR = 3600;
const DAY = 24 * HOUR;
const VERIFIERS = 5;

export interface RotationFigures {
  readonly checks: number;
  readonly rotations: number;
  readonly removed: number;
  readonly refused: readonly string[];
}

/** `cycles`: days. */
export async function rotateUnderLoad(cycles: number, chance: Seeded): Promise<number> {
  const broken = new Broken();
  const { checks, rotations, removed, refused } = await rotateForDays(cycles, 600, chance);
  for (const why of refused.slice(0, 10)) broken.where(true, why);
  broken.where(rotations === 0, 'no key was rotated');
  console.log(`${cycles} days: ${rotations} keys began to sign, ${removed} were removed`);
  console.log(`${checks} checks by ${VERIFIERS} verifiers that fetch keys once an hour: ${refused.length} refused`);
  return broken.count;
}

interface Living {
  readonly text: string;
  readonly expiresAt: number;
}

/** A new token every `step` seconds, and the command at random about twice an hour; keys change every three days. */
export async function rotateForDays(days: number, step: number, chance: Seeded): Promise<RotationFigures> {
  const clock = new TestClock();
  const database = await sqliteDatabase(clock.now, () => Promise.resolve());
  const held = await aJwtNode(storeOf(await database.open()), clock);
  const verifiers = Array.from({ length: VERIFIERS }, () => new Verifier(held, clock, chance.below(HOUR)));
  const figures = { checks: 0, rotations: 0, removed: 0, refused: [] as string[] };
  const end = clock.now() + days * DAY;
  let [pair, living, nextCommand]: [Awaited<ReturnType<typeof issue>>, Living[], number] = [
    await issue(held.node),
    [],
    clock.now(),
  ];
  while (clock.now() < end) {
    if (clock.now() >= nextCommand) {
      const did = await rotate(held);
      figures.rotations += did.filter((what) => what === 'signs').length;
      figures.removed += did.filter((what) => what === 'removed').length;
      nextCommand += 60 + chance.below(HOUR);
    }
    pair = accepted(await refresh(held.node, pair));
    living.push({ text: pair.accessToken.reveal(), expiresAt: pair.expiresAt });
    clock.move(chance.below(step) + 1);
    living = living.filter(({ expiresAt }) => expiresAt > clock.now());
    for (const verifier of verifiers) {
      for (const { text } of living) {
        figures.checks++;
        const why = await verifier.refuses(text);
        if (why !== undefined) figures.refused.push(`after ${clock.now() - end + days * DAY} s: ${why}`);
      }
    }
  }
  await database.remove();
  return figures;
}

async function rotate(held: JwtNode): Promise<readonly string[]> {
  const { store, registry } = held.node;
  const ports = { store, by: OPERATOR, storeKeys: held.exchange };
  const times = { publishedFor: seconds(DAY), every: seconds(3 * DAY) };
  const results = await rotateSigningKeys(held.keys, times, ports);
  await registry.refresh();
  return results.ok ? results.value.map(({ did }) => did) : [];
}

/** A resource server that knows nothing but our list of keys, at most an hour old. */
class Verifier {
  readonly #held: JwtNode;
  readonly #clock: TestClock;
  #keys: ReturnType<typeof createLocalJWKSet> | undefined;
  #fetchAgainAt: number;

  constructor(held: JwtNode, clock: TestClock, phase: number) {
    this.#held = held;
    this.#clock = clock;
    this.#fetchAgainAt = clock.now() + phase;
  }

  async refuses(text: string): Promise<string | undefined> {
    if (!this.#keys || this.#clock.now() >= this.#fetchAgainAt) this.#fetch();
    if (!this.#keys) throw new Error('no keys');
    const { issuer } = this.#held.node;
    const currentDate = new Date(this.#clock.milliseconds());
    try {
      await jwtVerify(text, this.#keys, { issuer, audience: issuer, typ: 'at+jwt', currentDate });
      return undefined;
    } catch (error) {
      return String(error);
    }
  }

  #fetch(): void {
    this.#keys = createLocalJWKSet(keySetOf(this.#held.node.registry.signingKeys) as JSONWebKeySet);
    if (this.#clock.now() >= this.#fetchAgainAt) this.#fetchAgainAt = this.#clock.now() + HOUR;
  }
}
