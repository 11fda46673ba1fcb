// Says whether a presented certificate authorizes, and for whom. Pure: what is known about revocation is given.
import { type CallerName, callerName, MAX_PRESENTED } from '../../core/certificate.ts';
import type { Hex } from '../../core/hex.ts';
import type { ApprovedIssuer } from '../../core/issuer.ts';
import { oncePer } from '../../core/once-per.ts';
import { accept, acceptedOf, type Outcome, refuse } from '../../core/outcome.ts';
import { escapeText } from '../../core/quote.ts';
import type { ClaimedCaller } from '../../core/refusal.ts';
import { type EpochSeconds, earlier } from '../../core/time.ts';
import type { Step, Verdict } from '../../core/verdict.ts';
import { decodeLatin } from '../der/der-values.ts';
import type { NameComparisons } from '../path/name-constraints.ts';
import { describe, EVERY_PROFILE, judgePath, type Path } from '../path/path.ts';
import { authoritiesOf, type ReadIssuer, readIssuer } from '../path/read-issuer.ts';
import { step } from '../path/rule.ts';
import { PathSearch } from '../path/search.ts';
import { REVOCATION_COST, SearchBudget } from '../path/search-budget.ts';
import { beginOf } from '../revocation/crl.ts';
import { judgeRevocation, type RevocationEvidence, type RevocationQuestion } from '../revocation/revocation.ts';
import { type Candidate, candidateOf, printNameOf, readCandidate } from '../x509/candidate.ts';
import { type Certificate, markOf, namesOf } from '../x509/certificate.ts';

export interface PresentedCertificate {
  /** DER, leaf first; the others are only candidates for the path. */
  readonly chain: readonly Uint8Array[];
  readonly issuers: readonly ApprovedIssuer[];
  /** With removed ones. */
  readonly all?: readonly ApprovedIssuer[] | undefined;
  readonly evidence: RevocationEvidence;
  readonly now: EpochSeconds;
  readonly mostIntermediates?: number;
}

export interface Judgement extends Verdict {
  /** The path that was judged, approved issuer first; absent where none was found. */
  readonly path?: Path;
  /** If refused: when a certificate, list or response that is not valid yet becomes valid, which may change the verdict. */
  readonly changesAt?: EpochSeconds;
}

const MAX_OCTETS = 128 * 1024;

export function judgeCertificate(presented: PresentedCertificate): Judgement {
  const { chain, issuers } = presented;
  const [first, ...rest] = chain;
  if (!first) return { outcome: refuse('certificate-missing'), steps: [] };
  if (chain.length > MAX_PRESENTED || (rest.length > 0 && totalOf(chain) > MAX_OCTETS)) return refusedAt(tooMany());
  const leaf = readCandidate(first);
  if (!leaf.ok) return refusedAt(unreadable(leaf.refusal.rule));
  const sent = acceptedOf(rest.filter(isFirst).map(readCandidate));
  const approved = issuers.filter(({ enabled }) => enabled).map(readIssuer);
  const judged = judgeLeaf(leaf.value, sent, approved, presented);
  const judgement = { ...judged, claimed: claimOf(leaf.value, sent, judged, presented) };
  // Without a path, nothing that becomes valid changes the verdict.
  if (judgement.outcome.ok || !judgement.path) return judgement;
  const begins = [leaf.value, ...sent].flatMap(({ validity }) => validity?.notBefore ?? []);
  const known = approved.flatMap(({ issuer }) => authoritiesOf(issuer)).map(({ notBefore }) => notBefore);
  const { lists, responses } = presented.evidence;
  const dated = isAboutRevocation(judgement) ? [...lists, ...responses.flatMap(({ answers }) => answers)] : [];
  const changes = [...begins, ...known, ...dated.map(beginOf)].filter((begin) => begin > presented.now);
  return changes.length > 0 ? { ...judgement, changesAt: changes.reduce(earlier) } : judgement;
}

const MAX_SHOWN = 200;

/** What the certificate says, and which issuer signed it. */
function claimOf(
  leaf: Candidate,
  sent: readonly Candidate[],
  { issuer }: Judgement,
  presented: PresentedCertificate,
): ClaimedCaller {
  const { label } = issuer ?? removedIssuer(leaf, sent, presented) ?? {};
  const shown = (name: 'subject' | 'issuer') => printNameOf(leaf[name]).slice(0, MAX_SHOWN);
  return { subject: shown('subject'), issuer: shown('issuer'), serial: leaf.serial, label };
}

/** Only for people, so little work is spent on it, however many were removed. Estimated microseconds. */
const FOR_REMOVED = 1_000;
const MOST_REMOVED = 8;

/** The issuer that was removed, if it signed the certificate. */
function removedIssuer(
  leaf: Candidate,
  sent: readonly Candidate[],
  { issuers, all = issuers, now, mostIntermediates }: PresentedCertificate,
): ApprovedIssuer | undefined {
  const names = new Set([leaf, ...sent].map(({ issuer }) => decodeLatin(issuer.whole)));
  const keys = new Set([leaf, ...sent].map(({ issuerKeyIdentifier: key }) => key && decodeLatin(key)));
  const found = [...names].flatMap((name) => removedAuthorities(all).get(name) ?? []);
  const likely = [...found.filter(({ key }) => keys.has(key)), ...found.filter(({ key }) => !keys.has(key))];
  const removed = [...new Set(likely.map(({ of }) => of))].slice(0, MOST_REMOVED);
  const anchors = removed.flatMap(({ certificate }) => certificate ?? []);
  if (anchors.length === 0) return undefined;
  const pool = [...sent, ...removed.flatMap(({ intermediates }) => intermediates.map(candidateOf))];
  const budget = new SearchBudget(FOR_REMOVED, FOR_REMOVED);
  const [path] = new PathSearch(anchors, pool, now, mostIntermediates, budget).pathsTo(leaf);
  return removed.find(({ certificate }) => certificate === path?.[0])?.issuer;
}

/** By name. */
const removedAuthorities = oncePer((all: readonly ApprovedIssuer[]) => {
  const removed = all.filter(({ enabled }) => !enabled).map(readIssuer);
  const authorities = removed.flatMap((of) =>
    authoritiesOf(of.issuer)
      .map(candidateOf)
      .map(({ subject, keyIdentifier }) => {
        return { of, name: decodeLatin(subject.whole), key: keyIdentifier && decodeLatin(keyIdentifier) };
      }),
  );
  return Map.groupBy(authorities, ({ name }) => name);
});

function isAboutRevocation({ outcome }: Judgement): boolean {
  return !outcome.ok && ['certificate-revoked', 'certificate-revocation-unknown'].includes(outcome.refusal.reason);
}

function judgeLeaf(
  leaf: Candidate,
  sent: readonly Candidate[],
  approved: readonly ReadIssuer[],
  { evidence, now, mostIntermediates }: PresentedCertificate,
): Judgement {
  const anchors = approved.flatMap(({ certificate }) => (certificate ? [certificate] : []));
  const registered = approved.flatMap(({ intermediates }) => intermediates.map(candidateOf));
  const pool = [...sent, ...registered];
  const search = new PathSearch(anchors, pool, now, mostIntermediates);
  const work = { comparisons: 0 };
  let refused: Judgement | undefined;
  for (const path of search.pathsTo(leaf)) {
    const issuer = approved.find(({ certificate }) => certificate === path[0])?.issuer;
    if (!issuer) break;
    const judgement = judgeFoundPath({ path, pool, issuer, evidence, now }, work);
    if (judgement.outcome.ok) return judgement;
    refused ??= judgement;
    if (isAboutRevocation(judgement) && !search.spend(REVOCATION_COST)) break;
  }
  return refused ?? refusedAt(whyNoPath(leaf, approved, search));
}

/** Some callers send a certificate several times. */
function isFirst(der: Uint8Array, index: number, all: readonly Uint8Array[]): boolean {
  return all.findIndex((other) => other.length === der.length && Buffer.compare(other, der) === 0) === index;
}

function judgeFoundPath(question: RevocationQuestion, work: NameComparisons): Judgement {
  const { path, issuer, now } = question;
  const leaf = path.at(-1) ?? path[0];
  const found = { path, issuer, mark: markOf(leaf, path.at(-2) ?? path[0], path[0]) };
  const structure = [approvedBy(issuer, leaf), ...judgePath(path, issuer, now, 'leaf', work)];
  // Only if the path is valid: nobody can make us search lists for an unknown certificate.
  const findings = structure.every(({ passed }) => passed) ? judgeRevocation(question) : [];
  const steps = [...structure, ...findings.map((finding) => finding.step)];
  const failed = steps.find(({ passed }) => !passed);
  if (failed) return { outcome: refuse(failed.reason, { rule: failed.rule }), steps, ...found };
  const name = callerName(namesOf(leaf), issuer.identitySources, issuer.upnComparison);
  const named = [...steps, identityStep(name, issuer, leaf)];
  if (!name.ok) return { outcome: name, steps: named, ...found };
  const ends = [...path.map(({ notAfter }) => notAfter), ...findings.map(({ until }) => until)];
  const thumbprint = leaf.fingerprint as Hex;
  const accepted = { issuer, name: name.value, mark: found.mark, thumbprint, until: ends.reduce(earlier) };
  return { outcome: accept(accepted), steps: named, ...found };
}

function refusedAt(failed: Step): Judgement {
  return { outcome: refuse(failed.reason, { rule: failed.rule }), steps: [failed] };
}

function unreadable(why: string | undefined): Step {
  const words = `the certificate is DER as defined in RFC 5280 4.1: ${why ?? 'it is not'}`;
  return step('readable', false, 'leaf', words, { reason: 'certificate-unreadable', setting: EVERY_PROFILE });
}

function tooMany(): Step {
  const words = `at most ${MAX_PRESENTED} certificates with ${MAX_OCTETS} octets in total are presented`;
  return step('bounded-work', false, 'leaf', words, { setting: EVERY_PROFILE });
}

function totalOf(chain: readonly Uint8Array[]): number {
  return chain.reduce((total, { length }) => total + length, 0);
}

function approvedBy(issuer: ApprovedIssuer, leaf: Certificate): Step {
  const words = `a path of signatures leads to the key of the approved issuer "${escapeText(issuer.label)}"`;
  return step('issuer-approved', true, describe(leaf, 'leaf'), words, { reason: 'certificate-issuer-not-approved' });
}

function whyNoPath(leaf: Candidate, approved: readonly ReadIssuer[], search: PathSearch): Step {
  if (search.unreadable?.candidate === leaf) return unreadable(search.unreadable.why);
  const anchors = approved.flatMap(({ certificate }) => certificate ?? []);
  const words = `a path of signatures leads to the key of an approved issuer: ${whyNotApproved(leaf, anchors, search)}`;
  const about = `leaf ${printNameOf(leaf.subject)}`;
  const setting = `approved issuers: ${printLabels(approved)}`;
  return step('issuer-approved', false, about, words, { reason: 'certificate-issuer-not-approved', setting });
}

const MAX_LABELS = 8;

function printLabels(approved: readonly ReadIssuer[]): string {
  const labels = approved.slice(0, MAX_LABELS).map(({ issuer }) => escapeText(issuer.label));
  const more = approved.length > MAX_LABELS ? [`and ${approved.length - MAX_LABELS} more`] : [];
  return [...labels, ...more].join(', ') || 'none';
}

function whyNotApproved(leaf: Candidate, anchors: readonly Certificate[], search: PathSearch): string {
  if (search.isExhausted) return 'the search stopped at its limit';
  if (search.unreadable) {
    const { candidate, why } = search.unreadable;
    return `the intermediate ${printNameOf(candidate.subject)} cannot be parsed: ${why}`;
  }
  return anchors.some((anchor) => search.isNamedBy(leaf, anchor))
    ? 'an approved issuer has the name of its issuer, but another key signed it'
    : `its issuer is ${printNameOf(leaf.issuer)}`;
}

function identityStep(name: Outcome<CallerName>, issuer: ApprovedIssuer, leaf: Certificate): Step {
  const setting = `identitySources: ${issuer.identitySources.join(', ')}`;
  const words = name.ok
    ? `the ${name.value.source} of the leaf names the caller: ${escapeText(name.value.name)}`
    : `the first identity source present has exactly one well-formed name: ${name.refusal.reason}`;
  const reason = name.ok ? 'certificate-name-missing' : name.refusal.reason;
  return step('identity', name.ok, describe(leaf, 'leaf'), words, { setting, reason });
}
