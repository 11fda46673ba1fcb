// RFC 5280 6.1: certificate policies along a path. Hostile mappings make the valid policy tree grow exponentially. RFC
// 9618 shows that merging the nodes of one depth by policy gives the same result, so only the current depth is kept.
// Unless the issuer requires policies, we accept every one (user-initial-policy-set is any-policy).
import { type Certificate, isSelfIssued } from '../x509/certificate.ts';

export const ANY_POLICY = '2.5.29.32.0';

interface PolicyNode {
  /** The policies expected in the next certificate. */
  readonly expected: ReadonlySet<string>;
  /** The required policies that it descends from, in the terms of the approved issuer. */
  readonly required: ReadonlySet<string>;
}

/** By valid policy. Empty: the tree is NULL. */
type Level = Map<string, PolicyNode>;

interface PolicyState {
  readonly required: ReadonlySet<string>;
  level: Level;
  /** The number of certificates that may follow before each restriction applies. */
  explicit: number;
  mapping: number;
  any: number;
}

/** Why the path fails policy processing; undefined if it does not. The approved issuer comes first, the leaf last. */
export function violatedPolicy(path: readonly Certificate[], policies: readonly string[] = []): string | undefined {
  const isRequired = policies.length > 0;
  // Without these, no policy is ever required.
  if (!isRequired && !path.some(({ known }) => known.policyConstraints || known.policyMappings)) return undefined;
  const unlimited = path.length + 1;
  const required = new Set(policies);
  const level: Level = new Map([[ANY_POLICY, { expected: new Set([ANY_POLICY]), required }]]);
  const state: PolicyState = {
    required,
    level,
    explicit: isRequired ? 0 : unlimited,
    mapping: unlimited,
    any: unlimited,
  };
  for (const [index, certificate] of path.entries()) {
    const isLeaf = index === path.length - 1;
    // An anchor is trusted for every policy unless its own certificate lists some (RFC 5937 3).
    if (index > 0 || certificate.known.certificatePolicies) descend(state, certificate, isLeaf);
    if (state.explicit === 0 && state.level.size === 0) return 'an explicit policy is required, but none is valid';
    const mistake = isLeaf ? undefined : prepareForNext(state, certificate);
    if (mistake) return mistake;
  }
  const isMet = [...state.level.values()].some((node) => node.required.size > 0);
  if (isRequired && !isMet) return `it is not valid for ${policies.join(' or ')}`;
  return wrapUp(state, path.at(-1));
}

/** 6.1.3 (d) and (e) */
function descend(state: PolicyState, certificate: Certificate, isLeaf: boolean): void {
  const policies = new Set(certificate.known.certificatePolicies?.map(({ policy }) => policy));
  const expected = expectedBy(state.level);
  const hasAny = state.level.has(ANY_POLICY);
  const children: Level = new Map();
  for (const policy of policies) {
    const required = expected.get(policy) ?? (hasAny ? ownOf(policy, state) : undefined);
    if (policy !== ANY_POLICY && required) children.set(policy, { expected: new Set([policy]), required });
  }
  const anyCounts = state.any > 0 || (!isLeaf && isSelfIssued(certificate));
  if (policies.has(ANY_POLICY) && anyCounts) {
    for (const [policy, required] of expected)
      if (!children.has(policy)) children.set(policy, { expected: new Set([policy]), required });
  }
  state.level = children;
}

/** Each expected policy, with the required policies of all nodes that expect it. */
function expectedBy(level: Level): Map<string, ReadonlySet<string>> {
  const found = new Map<string, ReadonlySet<string>>();
  for (const { expected, required } of level.values())
    for (const policy of expected) found.set(policy, new Set([...required, ...(found.get(policy) ?? [])]));
  return found;
}

/** For a policy that any-policy of the certificate above stands for. */
function ownOf(policy: string, { required }: PolicyState): ReadonlySet<string> {
  return required.has(policy) ? new Set([policy]) : new Set();
}

/** 6.1.4 (a), (b), (h), (i) and (j) */
function prepareForNext(state: PolicyState, certificate: Certificate): string | undefined {
  const { policyMappings = [], policyConstraints, inhibitAnyPolicy } = certificate.known;
  if (policyMappings.some(({ issuer, subject }) => issuer === ANY_POLICY || subject === ANY_POLICY)) {
    return 'any-policy is mapped';
  }
  mapPolicies(state, policyMappings);
  if (!isSelfIssued(certificate)) countDown(state);
  state.explicit = Math.min(state.explicit, policyConstraints?.requireExplicit ?? state.explicit);
  state.mapping = Math.min(state.mapping, policyConstraints?.inhibitMapping ?? state.mapping);
  state.any = Math.min(state.any, inhibitAnyPolicy ?? state.any);
  return undefined;
}

function mapPolicies(state: PolicyState, mappings: readonly { issuer: string; subject: string }[]): void {
  const anyIsValid = state.level.has(ANY_POLICY);
  for (const [issuer, subjects] of subjectsByIssuer(mappings)) {
    if (state.mapping === 0) state.level.delete(issuer);
    else {
      const required = state.level.get(issuer)?.required ?? (anyIsValid ? ownOf(issuer, state) : undefined);
      if (required) state.level.set(issuer, { expected: subjects, required });
    }
  }
}

function subjectsByIssuer(mappings: readonly { issuer: string; subject: string }[]): Map<string, Set<string>> {
  const byIssuer = new Map<string, Set<string>>();
  for (const { issuer, subject } of mappings) byIssuer.set(issuer, (byIssuer.get(issuer) ?? new Set()).add(subject));
  return byIssuer;
}

function countDown(state: PolicyState): void {
  state.explicit = Math.max(0, state.explicit - 1);
  state.mapping = Math.max(0, state.mapping - 1);
  state.any = Math.max(0, state.any - 1);
}

/** 6.1.5 (a), (b) and (g) */
function wrapUp(state: PolicyState, leaf: Certificate | undefined): string | undefined {
  const requiresNow = leaf?.known.policyConstraints?.requireExplicit === 0;
  const explicit = requiresNow ? 0 : Math.max(0, state.explicit - 1);
  return explicit === 0 && state.level.size === 0 ? 'an explicit policy is required, but none is valid' : undefined;
}
