// The x509-limbo cases that apply to client certificates, and the dry run's verdict on each at the case's own time.
// The cases are third-party data, read from the given folder.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ApprovedIssuer } from '../../src/core/issuer.ts';
import { epochSeconds } from '../../src/core/time.ts';
import { type Explanation, explainFiles } from '../../src/pki/judge/explain.ts';
import { MOST_INTERMEDIATES } from '../../src/pki/path/search.ts';

export interface LimboCase {
  readonly id: string;
  readonly trusted_certs: readonly string[];
  readonly untrusted_intermediates: readonly string[];
  readonly peer_certificate: string;
  readonly peer_key: { readonly label: string; readonly base64: string } | null;
  readonly validation_time: string | null;
  readonly expected_result: 'SUCCESS' | 'FAILURE';
  readonly max_chain_depth: number | null;
  readonly crls: readonly string[];
}

export interface LimboVerdict {
  readonly id: string;
  readonly expected: boolean;
  readonly explanation: Explanation;
}

/** Some cases contradict each other; strict follows the stricter one. */
export const STRICTER_THAN_LIMBO: Readonly<Record<string, string>> = {
  'rfc5280::eku::ee-without-eku': 'the same chain is to be refused in webpki::eku::ee-without-eku',
  'webpki::nc::permitted-dns-match-noncritical':
    'the same chain is to be refused in rfc5280::nc::permitted-dns-match-noncritical',
};

/**
 * Accepted on purpose by the default profile although RFC 5280 asks CAs to do otherwise: honest CAs do
 * these things, and nothing that decides about the path is ignored.
 */
export const DEFAULT_IS_LENIENT: Readonly<Record<string, string>> = {
  'rfc5280::aki::leaf-missing-aki': 'key identifiers are hints',
  'rfc5280::aki::intermediate-missing-aki': 'key identifiers are hints',
  'rfc5280::aki::cross-signed-root-missing-aki': 'key identifiers are hints',
  'rfc5280::ski::root-missing-ski': 'key identifiers are hints',
  'rfc5280::ski::intermediate-missing-ski': 'key identifiers are hints',
  'rfc5280::nc::permitted-dns-match-noncritical': 'the constraints hold, critical or not',
  'rfc5280::nc::invalid-dnsname-leading-period': 'read as the hosts below the domain',
  'rfc5280::pc::ica-noncritical-pc': 'the constraints hold, critical or not',
  'rfc5280::san::underscore-dns': 'the name gives no identity',
};

interface Applicability {
  readonly id: string;
  readonly applicable: boolean;
  readonly needs_clock: boolean;
  readonly has_key: boolean;
}

export function readApplicableCases(folder: string): LimboCase[] {
  return readCases(folder, ({ applicable }) => applicable);
}

/** Cases with a key that are valid at the present time. */
export function readHandshakeCases(folder: string): LimboCase[] {
  return readCases(folder, ({ applicable, has_key, needs_clock }) => applicable && has_key && !needs_clock);
}

function readCases(folder: string, isWanted: (entry: Applicability) => boolean): LimboCase[] {
  const { testcases } = JSON.parse(readFileSync(join(folder, 'cases.json'), 'utf8')) as { testcases: LimboCase[] };
  const list = JSON.parse(readFileSync(join(folder, 'applicability.json'), 'utf8')) as Applicability[];
  const wanted = new Set(list.filter(isWanted).map(({ id }) => id));
  return testcases.filter(({ id }) => wanted.has(id));
}

/** `chain`: the chain received in a handshake, if not the one of the case. */
export function runCase(
  limbo: LimboCase,
  profile: ApprovedIssuer['profile'],
  chain?: readonly Uint8Array[],
): LimboVerdict {
  const [certificate = new Uint8Array(), ...above] =
    chain ?? [limbo.peer_certificate, ...limbo.untrusted_intermediates].map((pem) => Buffer.from(pem));
  const explanation = explainFiles({
    certificate,
    chain: above,
    issuers: limbo.trusted_certs.map((pem) => Buffer.from(pem)),
    crls: limbo.crls.map((pem) => Buffer.from(pem)),
    settings: { profile },
    now: epochSeconds((limbo.validation_time ? Date.parse(limbo.validation_time) : Date.now()) / 1000),
    mostIntermediates: limbo.max_chain_depth ?? MOST_INTERMEDIATES,
  });
  return { id: limbo.id, expected: limbo.expected_result === 'SUCCESS', explanation };
}

/** Limbo tests paths only: it accepts a valid path whatever name the leaf has. */
export function isPathAccepted({ accepted, steps }: Explanation): boolean {
  return accepted || steps.every(({ passed, rule }) => passed || rule === 'identity');
}

export function isWrong({ expected, explanation }: LimboVerdict): boolean {
  return isPathAccepted(explanation) !== expected;
}
