// Signing keys are rotated while two services on one PostgreSQL serve. An hour passes by moving the stored times of the keys
// an hour into the past. Two verifiers fetch the keys once an hour, just before and just after the operator's command, and
// check every living token with jose: none may be refused. The second service gets each new keyring only after some hours.

import { createLocalJWKSet, decodeProtectedHeader, type JSONWebKeySet, jwtVerify } from 'jose';
import { type Seconds, seconds } from '../../src/core/time.ts';
import { type RotationResult, rotateSigningKeys } from '../../src/operations/admin/signing-keys.ts';
import { nodesWithout } from '../../src/operations/upkeep/report-node.ts';
import { PUBLIC_URL } from '../../test/e2e/service.ts';
import { type Pair, pairByCertificate, refreshed, verify } from '../../test/e2e/steps.ts';
import { eventually } from '../../test/eventually.ts';
import { OPERATOR } from '../../test/samples.ts';
import { Broken } from './broken.ts';
import { JWT_CLIENT, JWT_LIFETIME, type RunningService, startTwoServices, type TwoServices } from './two-services.ts';

const HOUR = 3600;
const DAY = 24 * HOUR;
/** The keyring is copied after the key is due to sign, so the command has to wait for the second service. */
const USUAL: RolloutTimes = { publishedFor: seconds(DAY), copiedAfter: 30 };
/** How often the operator runs the command in an hour. */
const COMMANDS = 2;

export interface RolloutTimes {
  readonly publishedFor: Seconds;
  /** Hours until the second service gets a new keyring. */
  readonly copiedAfter: number;
}

export interface RolloutFigures {
  readonly checks: number;
  readonly did: Readonly<Record<RotationResult['did'], number>>;
  readonly refused: readonly string[];
}

/** `cycles`: days. */
export async function rotateOnTwoNodes(cycles: number): Promise<number> {
  const broken = new Broken();
  const { checks, did, refused } = await rolloutFor(cycles);
  for (const why of refused.slice(0, 10)) broken.where(true, why);
  for (const [what, count] of Object.entries(did)) broken.where(count === 0, `no key: ${what}`);
  console.log(`${cycles} days, two services: ${JSON.stringify(did)}`);
  console.log(`${checks} checks by verifiers that fetch keys once an hour: ${refused.length} refused`);
  return broken.count;
}

export async function rolloutFor(days: number, times: RolloutTimes = USUAL): Promise<RolloutFigures> {
  const two = await startTwoServices();
  try {
    const rollout = new Rollout(two, times);
    await rollout.begin();
    for (let hour = 0; hour < days * 24; hour++) await rollout.hour(hour);
    return rollout;
  } finally {
    await two.stop();
  }
}

type Keys = ReturnType<typeof createLocalJWKSet>;

class Rollout implements RolloutFigures {
  checks = 0;
  readonly did = { added: 0, signs: 0, removed: 0, waits: 0 };
  readonly refused: string[] = [];
  readonly #two: TwoServices;
  readonly #times: RolloutTimes;
  readonly #pairs: Pair[] = [];
  #living: { readonly token: string; readonly hour: number }[] = [];
  #copyAt = Number.POSITIVE_INFINITY;

  constructor(two: TwoServices, times: RolloutTimes) {
    this.#two = two;
    this.#times = times;
  }

  async begin(): Promise<void> {
    for (const { caller } of this.#two.services)
      this.#pairs.push(await pairByCertificate(caller, JWT_CLIENT, 'orders:read'));
  }

  async hour(hour: number): Promise<void> {
    const { services, server } = this.#two;
    const [first, second] = hour % 2 === 0 ? services : ([services[1], services[0]] as const);
    const early = await keysOf(first);
    if (hour >= this.#copyAt) await this.#copyKeyring();
    for (let n = 0; n < COMMANDS; n++)
      for (const result of await this.#rotate(hour)) await this.#take(result, hour, early);
    await this.#issueAll(hour);
    const late = await keysOf(second);
    this.#living = this.#living.filter((each) => (hour - each.hour) * HOUR < JWT_LIFETIME);
    for (const { token } of this.#living) for (const keys of [early, late]) await this.#check(token, keys, hour);
    await server.query(
      `UPDATE signing_keys SET published_at = published_at - ${HOUR}, signs_from = signs_from - ${HOUR}, removed_at = removed_at - ${HOUR}`,
    );
  }

  /** Each service refreshes its grant, and the other one accepts the token. */
  async #issueAll(hour: number): Promise<string[]> {
    const { services } = this.#two;
    const tokens: string[] = [];
    for (const [at, { caller }] of services.entries()) {
      const pair = await refreshed(caller, this.#pairs[at] as Pair, JWT_CLIENT);
      this.#pairs[at] = pair;
      tokens.push(pair.access_token);
      this.#living.push({ token: pair.access_token, hour });
      const { status, text } = await verify((services[1 - at] as RunningService).caller, pair.access_token);
      if (status !== 200) this.refused.push(`hour ${hour}: the other service answers ${status} ${text}`);
    }
    return tokens;
  }

  async #rotate(hour: number): Promise<readonly RotationResult[]> {
    const [{ keys, storeKeys }] = this.#two.services;
    const times = { publishedFor: this.#times.publishedFor, every: seconds(DAY) };
    const ports = { store: this.#two.store, by: OPERATOR, storeKeys };
    const results = await rotateSigningKeys(keys(), times, ports);
    if (!results.ok) throw new Error(`hour ${hour}: ${results.refusal.reason}`);
    return results.value;
  }

  /** Waits until the services follow: that takes a second or two, far less than an hour. */
  async #take({ did, id }: RotationResult, hour: number, early: Keys): Promise<void> {
    this.did[did]++;
    const { services, store } = this.#two;
    if (did === 'added') {
      this.#copyAt = hour + this.#times.copiedAfter;
      if (this.#copyAt === hour) await this.#copyKeyring();
      await eventually('one service has the key', async () => (await nodesWithout(id, store)).length <= 1);
    }
    if (did === 'signs')
      await eventually('every service signs with the key', async () => {
        const tokens = await this.#issueAll(hour);
        for (const token of tokens) await this.#check(token, early, hour);
        return tokens.every((token) => decodeProtectedHeader(token).kid === id);
      });
    if (did === 'removed') await this.#copyKeyring();
    if (did !== 'waits')
      await eventually('every service publishes the same keys', async () =>
        (await Promise.all(services.map((each) => lists(each, id)))).every((is) => is === (did !== 'removed')),
      );
  }

  /** The operator copies the keyring to the second service. */
  async #copyKeyring(): Promise<void> {
    const [first, second] = this.#two.services;
    this.#copyAt = Number.POSITIVE_INFINITY;
    second.storeKeys(first.keys());
    const newest = first.keys().at(-1);
    await eventually(
      'every service has the key',
      async () => (await nodesWithout(String(newest?.id), this.#two.store)).length === 0,
    );
  }

  async #check(token: string, keys: Keys, hour: number): Promise<void> {
    this.checks++;
    const rules = { issuer: PUBLIC_URL, audience: PUBLIC_URL, typ: 'at+jwt' };
    await jwtVerify(token, keys, rules).catch((error: unknown) => this.refused.push(`hour ${hour}: ${String(error)}`));
  }
}

async function keySetAt({ caller }: RunningService): Promise<JSONWebKeySet> {
  return (await caller.ask({ path: '/oauth2/jwks' })).json as unknown as JSONWebKeySet;
}

async function keysOf(service: RunningService): Promise<Keys> {
  return createLocalJWKSet(await keySetAt(service));
}

async function lists(service: RunningService, id: string): Promise<boolean> {
  return (await keySetAt(service)).keys.some(({ kid }) => kid === id);
}
