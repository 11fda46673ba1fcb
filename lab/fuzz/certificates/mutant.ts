// One mutated chain: a certificate of a seed changed, signed again, and the names below it kept in step.
import { sign } from 'node:crypto';
import { TAG } from '../../../src/pki/der/der.ts';
import { write, writeSequence } from '../../../src/pki/der/der-write.ts';
import { Seeded } from '../../../test/seeded.ts';
import type { KeyPair } from '../../../test/signed-der.ts';
import { mutate } from './mutations.ts';
import type { Seed } from './seeds.ts';
import { encodeSignature } from './signatures.ts';
import { type Node, readTree, writeTree } from './tree.ts';

export interface Mutant {
  readonly seed: Seed;
  /** Leaf first, without the root. */
  readonly chain: readonly Uint8Array[];
  readonly mutations: readonly string[];
  readonly target: 'leaf' | 'intermediate';
}

const ISSUER = 3;
const SUBJECT = 5;
const ALGORITHM = 2;
const SHARE_OF_SIGNATURES = 0.04;

export function makeMutant(seeds: readonly Seed[], number: number): Mutant {
  const random = new Seeded(number);
  const seed = random.pick(seeds);
  const { authorities, leaf } = seed;
  const certificates = [...authorities.slice(1).map(({ certificate }) => certificate), leaf.certificate].map(readTree);
  const donors = seeds.map(({ tree }) => tree);
  const at = random.chance(0.6) ? certificates.length - 1 : random.below(certificates.length);
  const changed = certificates[at] as Node;
  const mutations = mutate(bodyOf(changed), random, donors);
  resign(changed, authorities[at]?.keys as KeyPair, random.chance(0.8));
  const below = certificates[at + 1];
  if (below && random.chance(0.5)) follow(changed, below, authorities[at + 1]?.keys as KeyPair);
  // From random numbers of its own, so that mutants keep their numbers.
  const other = new Seeded(number + 2 ** 30);
  if (other.chance(SHARE_OF_SIGNATURES)) mutations.push(...encodeSignature(changed, other));
  const chain = certificates.map(writeTree).reverse();
  return { seed, chain, mutations, target: at === certificates.length - 1 ? 'leaf' : 'intermediate' };
}

function bodyOf({ children = [] }: Node): Node {
  return children[0] as Node;
}

/** The algorithm outside follows the one inside, unless the two are to differ. */
function resign(certificate: Node, keys: KeyPair, inStep: boolean): void {
  const body = bodyOf(certificate);
  const [, outer] = certificate.children ?? [];
  const inner = body.children?.[ALGORITHM];
  const algorithm = inStep && inner?.tag === TAG.sequence ? inner : (outer as Node);
  const isEdwards = keys.privateKey.asymmetricKeyType?.startsWith('ed');
  const signature = sign(isEdwards ? null : 'sha256', writeTree(body), keys.privateKey);
  certificate.children = [body, algorithm, readTree(write(TAG.bitString, Uint8Array.of(0), signature))];
}

/** A renamed authority signs under its new name. */
function follow(authority: Node, below: Node, keys: KeyPair): void {
  const subject = bodyOf(authority).children?.[SUBJECT];
  const body = bodyOf(below);
  if (!subject || !body.children) return;
  body.children[ISSUER] = subject;
  resign(below, keys, true);
}

export function describeMutant({ target, mutations, chain }: Mutant): string {
  const [leaf = writeSequence()] = chain;
  return `${target}: ${mutations.join(', ')} (${leaf.length} octets)`;
}
