// Certificate policies along a path (RFC 5280 6.1). We accept every policy; a path is valid if at least one is left.
import { writeOid, writeSequence } from '../../../src/pki/der/der-write.ts';
import { EXTENSION } from '../../../src/pki/x509/extensions.ts';
import { extension } from '../../signed-der.ts';
import { ACCEPTED, below, byRule, type Case, casesOf, issue, ROOT, type Row, rootWith } from './case.ts';
import { count, inhibitAny, mappings, policies, policyConstraints } from './pieces.ts';

const A = '1.3.6.1.4.1.99.1';
const B = '1.3.6.1.4.1.99.2';
const C = '1.3.6.1.4.1.99.3';
const ANY = '2.5.29.32.0';
const NONE = byRule('certificate-policies');
const FORM = byRule('extensions-well-formed');

type Extensions = readonly Uint8Array[];
/** The extensions of an intermediate and a leaf below it, and perhaps of the root and a second intermediate. */
type Told = readonly [
  ...[clause: string, what: string, middle: Extensions, leaf: Extensions, verdict: string],
  ...more: [{ readonly root?: Extensions; readonly second?: Extensions }?],
];

const explicitIn = (certificates: number) => policyConstraints({ explicit: certificates });
const explicit = explicitIn(0);

const TOLD: readonly Told[] = [
  ['6.1.5', 'no policies, none required', [], [], ACCEPTED],
  ['6.1.5', 'other policies, none required', [policies(A)], [policies(B)], ACCEPTED],
  ['4.2.1.11', 'one required, none given', [explicit], [], NONE],
  ['4.2.1.11', 'one required and given by both', [explicit, policies(A)], [policies(A)], ACCEPTED],
  ['4.2.1.11', 'one required, given by the intermediate alone', [explicit, policies(A)], [], NONE],
  ['4.2.1.11', 'one required, given by the leaf alone', [explicit], [policies(A)], NONE],
  ['4.2.1.11', 'one required, different ones given', [explicit, policies(A)], [policies(B)], NONE],
  ['4.2.1.11', 'one required, one of two shared', [explicit, policies(A, B)], [policies(B, C)], ACCEPTED],
  ['4.2.1.11', 'required by the root', [], [], NONE, { root: [explicit] }],
  ['4.2.1.11', 'required by the leaf itself', [], [explicit], NONE],
  ['4.2.1.11', 'required only further down than the path goes', [explicitIn(5)], [], ACCEPTED],
  ['4.2.1.11', 'required one certificate further down', [explicitIn(1)], [], NONE],
  ['4.2.1.11', 'required two certificates further down', [explicitIn(2)], [], ACCEPTED],
  ['4.2.1.4', 'any policy above holds what is below', [explicit, policies(ANY)], [policies(A)], ACCEPTED],
  ['4.2.1.4', 'any policy below holds what is above', [explicit, policies(A)], [policies(ANY)], ACCEPTED],
  ['4.2.1.14', 'any policy below, inhibited', [explicit, policies(A), inhibitAny(0)], [policies(ANY)], NONE],
  [
    '4.2.1.14',
    'any policy below, not yet inhibited',
    [explicit, policies(A), inhibitAny(1)],
    [policies(ANY)],
    ACCEPTED,
  ],
  ['4.2.1.5', 'a mapped policy', [explicit, policies(A), mappings([A, B])], [policies(B)], ACCEPTED],
  ['4.2.1.5', 'the policy that was mapped away', [explicit, policies(A), mappings([A, B])], [policies(A)], NONE],
  [
    '4.2.1.5',
    'a mapping of a policy that is not valid',
    [explicit, policies(A), mappings([C, B])],
    [policies(B)],
    NONE,
  ],
  ['4.2.1.5', 'two mappings of one policy', [explicit, policies(A), mappings([A, B], [A, C])], [policies(C)], ACCEPTED],
  [
    '4.2.1.5',
    'a chain of mappings',
    [explicit, policies(A), mappings([A, B])],
    [policies(C)],
    ACCEPTED,
    { second: [policies(B), mappings([B, C])] },
  ],
  [
    '4.2.1.11',
    'a mapping that is inhibited',
    [explicit, policies(A), mappings([A, B])],
    [policies(B)],
    NONE,
    { root: [policyConstraints({ mapping: 0 })] },
  ],
  [
    '4.2.1.11',
    'a mapping that is not yet inhibited',
    [explicit, policies(A), mappings([A, B])],
    [policies(B)],
    ACCEPTED,
    { root: [policyConstraints({ mapping: 1 })] },
  ],
  ['4.2.1.5', 'any policy mapped', [policies(A), mappings([ANY, B])], [policies(B)], NONE],
  ['4.2.1.5', 'a policy mapped to any', [policies(A), mappings([A, ANY])], [policies(B)], NONE],
  ['4.2.1.4', 'a policy named twice', [], [policies(A, A)], FORM],
  ['4.2.1.4', 'no policy in the list', [], [policies()], FORM],
  ['4.2.1.5', 'no mapping in the list', [mappings()], [], FORM],
  ['4.2.1.11', 'a negative number of certificates', [explicitIn(0xff)], [], FORM],
  ['4.2.1.14', 'a negative number of certificates before any policy is inhibited', [inhibitAny(0xff)], [], FORM],
  ['4.2.1.4', 'a qualifier, not critical', [], [qualified('1.3.6.1.5.5.7.2.1', false)], ACCEPTED],
  ['4.2.1.4', 'an unknown qualifier, not critical', [], [qualified('1.2.3.4', false)], ACCEPTED],
  ['4.2.1.4', 'an unknown qualifier, critical', [], [qualified('1.2.3.4', true)], byRule('policy-qualifiers-known')],
  [
    '4.2.1.4',
    'critical policies without qualifier',
    [],
    [extension(EXTENSION.certificatePolicies, writeSequence(writeSequence(writeOid(A))), true)],
    ACCEPTED,
  ],
  [
    '6.1, RFC 9618',
    'mappings that multiply',
    [explicit, crowd(), crossed()],
    [policies(ANY)],
    ACCEPTED,
    { second: [crowd(), crossed()] },
  ],
];

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

function rowOf([clause, what, middle, leaf, verdict, { root, second } = {}]: Told): Row {
  const approved = root ? rootWith({ extensions: root }) : ROOT;
  const first = below({ extensions: middle }, approved);
  const by = second ? below({ extensions: second, name: 'Second' }, first) : first;
  return { clause, what, made: () => issue({ extensions: leaf }, by), approved, verdict };
}

export const POLICY_CASES: readonly Case[] = casesOf(TOLD.map(rowOf));
