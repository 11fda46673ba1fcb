// A platform with keys, and what the judge says to its assertions.
import { AssertionJudge } from '../../src/assertions/assertion-judge.ts';
import { type KeySet, readKeySet } from '../../src/assertions/key-set.ts';
import type { TokenIssuer } from '../../src/core/token-issuer.ts';
import { aTokenIssuer, keySetOf, OUR_ISSUER, platformKey } from '../platform.ts';
import { NOW } from '../samples.ts';

/** `other` has the same kid as `key`, and is not in the key set. */
export const [key, rsa, other] = await Promise.all([platformKey(), platformKey('r1', 'RS256'), platformKey('k1')]);

export function setOf(text: string): KeySet {
  const read = readKeySet(text);
  if (!read.ok) throw new Error(read.refusal);
  return read.value;
}

interface Scene {
  readonly keys?: string;
  readonly tokenIssuers?: readonly TokenIssuer[];
}

/** Judges with keys in memory; by default those of the platform. */
export async function judge(text: string, { keys = keySetOf(key, rsa), tokenIssuers = [aTokenIssuer()] }: Scene = {}) {
  const set = setOf(keys);
  const judge = new AssertionJudge({
    keys: { keysOf: async () => set, newestKeys: async () => set, failureOf: () => undefined },
    ourIssuer: OUR_ISSUER,
    now: () => NOW,
  });
  return judge.judge(text, tokenIssuers);
}

/** `accepted`, or the reason and the check that failed. */
export async function answer(text: string, scene?: Scene): Promise<string> {
  const { outcome } = await judge(text, scene);
  return outcome.ok ? 'accepted' : `${outcome.refusal.reason} (${outcome.refusal.rule})`;
}

export function encode(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}

export function partsOf(text: string) {
  const [header = '', payload = '', signature = ''] = text.split('.');
  const read = (part: string) => JSON.parse(Buffer.from(part, 'base64url').toString()) as Record<string, unknown>;
  return { header: read(header), claims: read(payload), payload, signature, input: `${header}.${payload}` };
}
