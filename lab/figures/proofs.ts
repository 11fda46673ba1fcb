// Honest DPoP proofs at a steady rate, each made and signed when it is due: how many are refused, and what remembering them takes.
// Two lanes at once, each at the full rate: the checks of the token endpoint and those of @tessera/verify. One key has half of them.
import { createHash, generateKeyPairSync, type KeyObject, randomUUID, sign } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { calculateJwkThumbprint, type JWK } from 'jose';
import type { Claims } from '../../sdk/verify/src/claims.ts';
import { DpopProofs as ApiProofs } from '../../sdk/verify/src/dpop.ts';
import { DpopProofs } from '../../src/operations/grant/dpop-proofs.ts';
import { ProofMemory } from '../../src/operations/grant/proof-memory.ts';
import { systemClock } from '../../src/system.ts';
import { firstKey, Keyring } from '../../src/tokens/keyring.ts';
import type { Row } from './data.ts';
import { table } from './measure.ts';

export interface ProofFigures {
  readonly perSecond: number;
  readonly seconds: number;
}

interface Key {
  readonly privateKey: KeyObject;
  readonly jwk: JWK;
  readonly jkt: string;
}

/** How proofs are checked. */
interface Checks {
  readonly accepts: (key: Key) => Promise<boolean> | boolean;
  readonly used: () => number;
}

interface Lane {
  readonly name: string;
  checks: Checks | undefined;
  sent: number;
  refused: number;
  most: number;
}

/** Keys with the other half of the proofs. */
const OTHERS = 50;
const PAUSE_MS = 20;
const ENDPOINT = 'https://tokens.example.com/oauth2/token';
const ORDERS = 'https://orders.example.com/orders';
const TOKEN = 'tsa_token';
setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

export async function proofFigures({ perSecond, seconds }: ProofFigures): Promise<void> {
  const keys = await Promise.all(Array.from({ length: 1 + OTHERS }, makeKey));
  const lanes = [laneOf('token endpoint', tokenEndpoint()), laneOf('@tessera/verify', api())];
  const took = await run(lanes, keys, { perSecond, seconds });
  table(lanes.map((lane) => rowOf(lane, took)));
  if (lanes.some(({ refused }) => refused > 0)) process.exitCode = 1;
  table([{ '': 'full, each proof of another key', 'MB at most': megabytesFull() }]);
}

function rowOf(lane: Lane, took: number): Row {
  const { name, sent, refused, most } = lane;
  const drop = () => {
    lane.checks = undefined;
  };
  const remembered = { 'most remembered': most, MB: megabytesOf(drop) };
  return { checks: name, seconds: Math.round(took), proofs: sent, refused, ...remembered };
}

/** Returns how many seconds it took: more than it should if the machine is too busy. */
async function run(
  lanes: readonly Lane[],
  keys: readonly Key[],
  { perSecond, seconds }: ProofFigures,
): Promise<number> {
  const began = performance.now();
  const passed = () => (performance.now() - began) / 1000;
  for (let isOver = false; !isOver; await pause(PAUSE_MS)) {
    const due = Math.floor(Math.min(seconds, passed()) * perSecond);
    for (const lane of lanes) while (lane.sent < due) await send(lane, keyFor(lane.sent, keys));
    isOver = lanes.every(({ sent }) => sent >= seconds * perSecond);
  }
  return passed();
}

/** Every second proof is of the first key. */
function keyFor(n: number, keys: readonly Key[]): Key {
  return keys[n % 2 === 0 ? 0 : 1 + ((n >> 1) % OTHERS)] as Key;
}

async function send(lane: Lane, key: Key): Promise<void> {
  const { checks } = lane;
  if (!(await checks?.accepts(key))) lane.refused += 1;
  lane.sent += 1;
  lane.most = Math.max(lane.most, checks?.used() ?? 0);
}

function laneOf(name: string, checks: Checks): Lane {
  return { name, checks, sent: 0, refused: 0, most: 0 };
}

function tokenEndpoint(): Checks {
  const proofs = new DpopProofs({ keyring: new Keyring(firstKey()), clock: systemClock });
  const accepts = (key: Key) =>
    proofs.check(proofOf(key, { htm: 'POST', htu: ENDPOINT, nonce: proofs.nonce() }), 'POST', [ENDPOINT]).ok;
  return { accepts, used: () => proofs.load().used };
}

function api(): Checks {
  const proofs = new ApiProofs({ now: Date.now, clockTolerance: 5, onNotice: console.log });
  const ath = createHash('sha256').update(TOKEN).digest('base64url');
  const accepts = async (key: Key) => {
    const call = { method: 'GET', url: ORDERS, proof: proofOf(key, { htm: 'GET', htu: ORDERS, ath }) };
    return (await proofs.whyNotBound({ boundToKey: key.jkt } as Claims, TOKEN, call)) === undefined;
  };
  return { accepts, used: () => proofs.load().used };
}

async function makeKey(): Promise<Key> {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const jwk = publicKey.export({ format: 'jwk' });
  return { privateKey, jwk, jkt: await calculateJwkThumbprint(jwk) };
}

function proofOf({ privateKey, jwk }: Key, claims: object): string {
  const header = { typ: 'dpop+jwt', alg: 'ES256', jwk };
  const payload = { jti: randomUUID(), iat: Math.floor(Date.now() / 1000), ...claims };
  const text = [header, payload].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.');
  const signature = sign('sha256', Buffer.from(text), { key: privateKey, dsaEncoding: 'ieee-p1363' });
  return `${text}.${signature.toString('base64url')}`;
}

/** What is free once it has been dropped. */
function megabytesOf(drop: () => void): number {
  collectGarbage();
  const before = process.memoryUsage().heapUsed;
  drop();
  collectGarbage();
  return Number(((before - process.memoryUsage().heapUsed) / 1e6).toFixed(1));
}

function megabytesFull(): number {
  let memory: ProofMemory | undefined = new ProofMemory();
  const { most } = memory.load(0);
  for (let n = 0; n < most; n++) {
    const key = createHash('sha256').update(`${n}`).digest('base64url');
    memory.remember({ key, id: randomUUID(), until: (60 * n) / most }, 0);
  }
  if (memory.load(0).used < most) throw new Error('not full');
  return megabytesOf(() => {
    memory = undefined;
  });
}
