// Certificate policies along a path (RFC 5280 6.1). We accept every policy; a path is valid if at least one is left.
import { writeOid, writeSequence } from '../../../src/pki/der/der-write.ts';
import { EXTENSION } from '../../../src/pki/x509/extensions.ts';
import { extension } from '../../signed-der.ts';
import { ACCEPTED, below, byRule, type Case, casesOf, issue, ROOT, type Row, rootWith, told } from './case.ts';
import { count, inhibitAny, mappings, policies, policyConstraints } from './pieces.ts';

const A = '1.3.6.1.4.1.99.1';
const B = '1.3.6.1.4.1.99.2';
const C = '1.3.6.1.4.1.99.3';
const ANY = '2.5.29.32.0';
const NONE_LEFT = byRule('certificate-policies');
const FORM = byRule('extensions-well-formed');

interface Told {
  readonly clause: string;
  readonly what: string;
  readonly root?: readonly Uint8Array[];
  readonly middle?: readonly Uint8Array[];
  readonly second?: readonly Uint8Array[];
  readonly leaf?: readonly Uint8Array[];
  readonly verdict: string;
}

const explicit = policyConstraints({ explicit: 0 });

const TOLD: readonly Told[] = told([
  ['6.1.5', 'no policies, none required', {}, ACCEPTED],
  ['6.1.5', 'other policies, none required', { middle: [policies(A)], leaf: [policies(B)] }, ACCEPTED],
  ['4.2.1.11', 'one required, none given', { middle: [explicit] }, NONE_LEFT],
  ['4.2.1.11', 'one required and given by both', { middle: [explicit, policies(A)], leaf: [policies(A)] }, ACCEPTED],
  ['4.2.1.11', 'one required, given by the intermediate alone', { middle: [explicit, policies(A)] }, NONE_LEFT],
  ['4.2.1.11', 'one required, given by the leaf alone', { middle: [explicit], leaf: [policies(A)] }, NONE_LEFT],
  [
    '4.2.1.11',
    'one required, different ones given',
    { middle: [explicit, policies(A)], leaf: [policies(B)] },
    NONE_LEFT,
  ],
  [
    '4.2.1.11',
    'one required, one of two shared',
    { middle: [explicit, policies(A, B)], leaf: [policies(B, C)] },
    ACCEPTED,
  ],
  ['4.2.1.11', 'required by the root', { root: [explicit] }, NONE_LEFT],
  ['4.2.1.11', 'required by the leaf itself', { leaf: [explicit] }, NONE_LEFT],
  [
    '4.2.1.11',
    'required only further down than the path goes',
    { middle: [policyConstraints({ explicit: 5 })] },
    ACCEPTED,
  ],
  ['4.2.1.11', 'required one certificate further down', { middle: [policyConstraints({ explicit: 1 })] }, NONE_LEFT],
  ['4.2.1.11', 'required two certificates further down', { middle: [policyConstraints({ explicit: 2 })] }, ACCEPTED],
  [
    '4.2.1.4',
    'any policy above holds what is below',
    { middle: [explicit, policies(ANY)], leaf: [policies(A)] },
    ACCEPTED,
  ],
  [
    '4.2.1.4',
    'any policy below holds what is above',
    { middle: [explicit, policies(A)], leaf: [policies(ANY)] },
    ACCEPTED,
  ],
  [
    '4.2.1.14',
    'any policy below, inhibited',
    { middle: [explicit, policies(A), inhibitAny(0)], leaf: [policies(ANY)] },
    NONE_LEFT,
  ],
  [
    '4.2.1.14',
    'any policy below, not yet inhibited',
    { middle: [explicit, policies(A), inhibitAny(1)], leaf: [policies(ANY)] },
    ACCEPTED,
  ],
  ['4.2.1.5', 'a mapped policy', { middle: [explicit, policies(A), mappings([A, B])], leaf: [policies(B)] }, ACCEPTED],
  [
    '4.2.1.5',
    'the policy that was mapped away',
    { middle: [explicit, policies(A), mappings([A, B])], leaf: [policies(A)] },
    NONE_LEFT,
  ],
  [
    '4.2.1.5',
    'a mapping of a policy that is not valid',
    { middle: [explicit, policies(A), mappings([C, B])], leaf: [policies(B)] },
    NONE_LEFT,
  ],
  [
    '4.2.1.5',
    'two mappings of one policy',
    { middle: [explicit, policies(A), mappings([A, B], [A, C])], leaf: [policies(C)] },
    ACCEPTED,
  ],
  [
    '4.2.1.5',
    'a chain of mappings',
    { middle: [explicit, policies(A), mappings([A, B])], second: [policies(B), mappings([B, C])], leaf: [policies(C)] },
    ACCEPTED,
  ],
  [
    '4.2.1.11',
    'a mapping that is inhibited',
    {
      root: [policyConstraints({ mapping: 0 })],
      middle: [explicit, policies(A), mappings([A, B])],
      leaf: [policies(B)],
    },
    NONE_LEFT,
  ],
  [
    '4.2.1.11',
    'a mapping that is not yet inhibited',
    {
      root: [policyConstraints({ mapping: 1 })],
      middle: [explicit, policies(A), mappings([A, B])],
      leaf: [policies(B)],
    },
    ACCEPTED,
  ],
  ['4.2.1.5', 'any policy mapped', { middle: [policies(A), mappings([ANY, B])], leaf: [policies(B)] }, NONE_LEFT],
  ['4.2.1.5', 'a policy mapped to any', { middle: [policies(A), mappings([A, ANY])], leaf: [policies(B)] }, NONE_LEFT],
  ['4.2.1.4', 'a policy named twice', { leaf: [policies(A, A)] }, FORM],
  ['4.2.1.4', 'no policy in the list', { leaf: [policies()] }, FORM],
  ['4.2.1.5', 'no mapping in the list', { middle: [mappings()] }, FORM],
  ['4.2.1.11', 'a negative number of certificates', { middle: [policyConstraints({ explicit: 0xff })] }, FORM],
  [
    '4.2.1.14',
    'a negative number of certificates before any policy is inhibited',
    { middle: [inhibitAny(0xff)] },
    FORM,
  ],
  ['4.2.1.4', 'a qualifier, not critical', { leaf: [qualified('1.3.6.1.5.5.7.2.1', false)] }, ACCEPTED],
  ['4.2.1.4', 'an unknown qualifier, not critical', { leaf: [qualified('1.2.3.4', false)] }, ACCEPTED],
  [
    '4.2.1.4',
    'an unknown qualifier, critical',
    { leaf: [qualified('1.2.3.4', true)] },
    byRule('policy-qualifiers-known'),
  ],
  [
    '4.2.1.4',
    'critical policies without qualifier',
    { leaf: [extension(EXTENSION.certificatePolicies, writeSequence(writeSequence(writeOid(A))), true)] },
    ACCEPTED,
  ],
  [
    '6.1, RFC 9618',
    'mappings that multiply',
    { middle: [explicit, crowd(), crossed()], second: [crowd(), crossed()], leaf: [policies(ANY)] },
    ACCEPTED,
  ],
]);

function qualified(qualifier: string, critical: boolean): Uint8Array {
  const text = writeSequence(writeOid(qualifier), count(1));
  return extension(
    EXTENSION.certificatePolicies,
    writeSequence(writeSequence(writeOid(A), writeSequence(text))),
    critical,
  );
}

function crowd(): Uint8Array {
  return policies(...Array.from({ length: 30 }, (_, index) => `1.3.6.1.4.1.99.4.${index}`));
}

/** Maps each of thirty policies to all others: a policy tree would grow thirtyfold at every level. */
function crossed(): Uint8Array {
  const all = Array.from({ length: 30 }, (_, index) => `1.3.6.1.4.1.99.4.${index}`);
  return mappings(...all.flatMap((one) => all.map((other) => [one, other] as const)));
}

function rowOf({ clause, what, root, middle = [], second, leaf = [], verdict }: Told): Row {
  const approved = root ? rootWith({ extensions: root }) : ROOT;
  const first = below({ extensions: middle }, approved);
  const by = second ? below({ extensions: second, name: 'Second' }, first) : first;
  return { clause: `RFC 5280 ${clause}`, what, made: () => issue({ extensions: leaf }, by), approved, verdict };
}

export const POLICY_CASES: readonly Case[] = casesOf(TOLD.map(rowOf));
