// Judges the certificate of a request: by a cached verdict, or with the revocation data that the policy requires.

import { hash } from 'node:crypto';
import type { Presented } from '../../core/certificate.ts';
import type { ApprovedIssuer } from '../../core/issuer.ts';
import { keepNewest } from '../../core/keep-newest.ts';
import { refuse } from '../../core/outcome.ts';
import { type EpochSeconds, epochSeconds } from '../../core/time.ts';
import type { Step } from '../../core/verdict.ts';
import type { RevocationList } from '../revocation/crl.ts';
import type { OcspResponse } from '../revocation/ocsp.ts';
import { type RevocationPorts, RevocationSource } from '../revocation/revocation-source.ts';
import { type Judgement, judgeCertificate, type PresentedCertificate } from './judge.ts';
import { readPresented } from './read-presented.ts';

export interface JudgePorts extends RevocationPorts {
  /** Whether this Node shows the certificates above the leaf that a client sent. */
  readonly seesIntermediates?: () => Promise<boolean>;
}

export class CertificateJudge {
  readonly revocation: RevocationSource;
  readonly #verdicts = new Verdicts();
  readonly #ports: JudgePorts;

  constructor(ports: JudgePorts) {
    this.revocation = new RevocationSource(ports);
    this.#ports = ports;
  }

  async judgePresented(presented: Presented, issuers: readonly ApprovedIssuer[]): Promise<Judgement> {
    const chain = readPresented(presented);
    if (!chain.ok) return { outcome: chain, steps: [] };
    const judgement = await this.judge(chain.value, issuers);
    const isUnseen = presented.by === 'handshake' && chain.value.length === 1 && isWithoutPath(judgement);
    const { seesIntermediates = async () => true } = this.#ports;
    return isUnseen && !(await seesIntermediates()) ? withIntermediatesUnseen(judgement) : judgement;
  }

  /** `issuers` must be the same array until something in it changes. */
  async judge(chain: readonly Uint8Array[], issuers: readonly ApprovedIssuer[]): Promise<Judgement> {
    const presented = this.#presented(chain, issuers, []);
    return this.#verdicts.recall(presented) ?? (await this.#judgeAnew(presented));
  }

  /** Fetches nothing for a certificate that is refused anyway. */
  async #judgeAnew(presented: PresentedCertificate): Promise<Judgement> {
    const { chain, issuers, evidence } = presented;
    const first = judgeCertificate(presented);
    const { outcome, path, issuer } = first;
    const isOpen = outcome.ok || outcome.refusal.reason === 'certificate-revocation-unknown';
    const conclude = (responses: readonly OcspResponse[]) => {
      // If nothing was fetched, the first verdict stands; nobody can make us judge twice for nothing.
      const hasLearned = responses.length > 0 || evidence.lists !== this.revocation.lists;
      if (!hasLearned) return this.#verdicts.remember(presented, first);
      return this.#verdicts.judge(this.#presented(chain, issuers, responses));
    };
    return isOpen && path && issuer ? this.revocation.prepare(path, issuer, presented, conclude) : conclude([]);
  }

  #presented(
    chain: readonly Uint8Array[],
    issuers: readonly ApprovedIssuer[],
    responses: readonly OcspResponse[],
  ): PresentedCertificate {
    return { chain, issuers, evidence: { lists: this.revocation.lists, responses }, now: this.#ports.now() };
  }
}

function isWithoutPath({ outcome }: Judgement): boolean {
  return !outcome.ok && outcome.refusal.reason === 'certificate-issuer-not-approved';
}

/** The caller may have sent the missing intermediates: the refusal must not blame it. */
function withIntermediatesUnseen(judgement: Judgement): Judgement {
  const unseen: Step = {
    rule: 'intermediates-seen',
    passed: false,
    about: 'this service',
    words: `Node ${process.version} shows the intermediates that callers send`,
    setting: 'use Node 26.10 or newer, or register the intermediates with the issuer',
    reason: 'certificate-issuer-not-approved',
  };
  return { ...judgement, outcome: refuse(unseen.reason, { rule: unseen.rule }), steps: [...judgement.steps, unseen] };
}

const MAX_VERDICTS = 10_000;
// A refusal may become obsolete without notice (an OCSP responder is back), so it is cached briefly.
const REFUSAL_SECONDS = 30;

/** By fingerprint of the chain, until a certificate, CRL or OCSP response ends, or issuers or lists change. */
export class Verdicts {
  readonly #verdicts = new Map<string, { judgement: Judgement; from: EpochSeconds; until: EpochSeconds }>();
  #issuers: PresentedCertificate['issuers'] = [];
  #lists: readonly RevocationList[] = [];

  recall({ chain, issuers, evidence, now }: PresentedCertificate): Judgement | undefined {
    this.#forgetWhenChanged(issuers, evidence.lists);
    const verdict = this.#verdicts.get(fingerprintOf(chain));
    if (!verdict || now < verdict.from || now > verdict.until) return undefined;
    return verdict.judgement;
  }

  judge(presented: PresentedCertificate): Judgement {
    return this.recall(presented) ?? this.remember(presented, judgeCertificate(presented));
  }

  remember({ chain, now }: PresentedCertificate, judgement: Judgement): Judgement {
    // The oldest is dropped: a flood of unknown certificates costs callers a validation, never memory.
    const verdict = { judgement, from: now, until: endOf(judgement, now) };
    keepNewest(this.#verdicts, fingerprintOf(chain), verdict, MAX_VERDICTS);
    return judgement;
  }

  #forgetWhenChanged(issuers: PresentedCertificate['issuers'], lists: readonly RevocationList[]): void {
    if (issuers === this.#issuers && lists === this.#lists) return;
    this.#verdicts.clear();
    this.#issuers = issuers;
    this.#lists = lists;
  }
}

/** A refusal ends before something begins that may change it. */
function endOf({ outcome, changesAt }: Judgement, now: EpochSeconds): EpochSeconds {
  if (outcome.ok) return outcome.value.until;
  return epochSeconds(Math.min(now + REFUSAL_SECONDS, (changesAt ?? Number.POSITIVE_INFINITY) - 1));
}

// Cached on the chain array, which a kept-alive connection passes with every request.
const FINGERPRINT = Symbol('fingerprint of the chain');
type MarkedChain = readonly Uint8Array[] & { [FINGERPRINT]?: string };

/** The lengths keep two certificates apart from one that contains the octets of both. */
function fingerprintOf(chain: MarkedChain): string {
  chain[FINGERPRINT] ??= `${chain.map(({ length }) => length)} ${hash('sha256', Buffer.concat(chain), 'base64')}`;
  return chain[FINGERPRINT];
}
