// Valid chains to mutate: every kind of key, path length, constraints and policies.
import { generateKeyPairSync } from 'node:crypto';
import { type Authority, type Issued, makeAuthority } from '../../../test/authority.ts';
import {
  callerOf,
  constraints,
  directory,
  dns,
  email,
  organisation,
  policies,
  policyConstraints,
} from '../../../test/pki/corpus/pieces.ts';
import { rsaKeys } from '../../../test/signed-der.ts';
import { type Node, readTree } from './tree.ts';

export interface Seed {
  readonly root: Authority;
  /** From the root down; each is signed by the one before it. */
  readonly authorities: readonly Authority[];
  readonly leaf: Issued;
  /** The leaf, for other mutants to take parts from. */
  readonly tree: Node;
}

const POLICY = '1.3.6.1.4.1.99.1';

export function makeSeeds(): Seed[] {
  const plain = makeAuthority({ name: 'Fuzz Root' });
  const rsa = makeAuthority({ name: 'Fuzz RSA Root', keys: rsaKeys(2048) });
  const edwards = makeAuthority({ name: 'Fuzz Edwards Root', keys: generateKeyPairSync('ed25519') });
  const constrained = makeAuthority({
    name: 'Fuzz Constrained Root',
    extensions: [constraints({ permitted: [dns('x.com'), email('x.com')] })],
  });
  const excluding = makeAuthority({
    name: 'Fuzz Excluding Root',
    extensions: [constraints({ excluded: [directory(organisation('Evil')), dns('y.com')] })],
  });
  const strict = makeAuthority({ name: 'Fuzz Policy Root', extensions: [policyConstraints({ explicit: 0 })] });
  const names = { dnsNames: ['a.x.com'], emails: ['a@x.com'] };
  const policy = { extensions: [policies(POLICY)] };
  const short = makeAuthority({ name: 'Fuzz Short Root', pathLength: 1 });
  return [
    seed(plain, [], (above) => above.issue(names)),
    seed(plain, ['One'], (above) => above.issue(names)),
    seed(plain, ['One', 'Two'], (above) => above.issue({ upns: ['a@x.com'], ...names })),
    seed(short, ['One'], (above) => above.issue(names)),
    seed(rsa, ['One'], (above) => above.issue(names)),
    seed(edwards, [], (above) => above.issue({ keys: generateKeyPairSync('ed25519') })),
    seed(constrained, ['One'], (above) => above.issue(names)),
    seed(excluding, ['One'], (above) => above.issue({ subject: callerOf('Good'), ...names })),
    seed(strict, ['One'], (above) => above.issue(policy), policy),
  ];
}

function seed(root: Authority, below: readonly string[], issue: (above: Authority) => Issued, options = {}): Seed {
  const authorities: Authority[] = [root];
  for (const name of below) {
    const above = authorities.at(-1) ?? root;
    authorities.push(above.makeIntermediate({ name: `Fuzz ${name}`, ...options }));
  }
  const leaf = issue(authorities.at(-1) ?? root);
  return { root, authorities, leaf, tree: readTree(leaf.certificate) };
}
