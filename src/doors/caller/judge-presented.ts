// The judge that operations call: parses what was presented, then validates it by the approved issuers.
import type { Presented, PresentedChain } from '../../core/certificate.ts';
import { accept, type Outcome, refuse } from '../../core/outcome.ts';
import type { Step, Verdict } from '../../core/verdict.ts';
import type { JudgePresented } from '../../operations/ports.ts';
import type { CertificateJudge } from '../../pki/judge/certificate-judge.ts';
import { readCertificateHeader } from './presented-header.ts';

export interface JudgeOptions {
  readonly judge: Pick<CertificateJudge, 'judge'>;
  /** Throws StoreUnavailable if the clock is wrong: it would accept expired certificates, or refuse valid ones. */
  readonly admitClock: () => void;
  /** A peer that is not a listed proxy sent a certificate header: usually a mistake in the set-up of a proxy. */
  readonly onIgnoredHeader: () => void;
  /** Whether this Node shows the certificates above the leaf that a client sent. */
  readonly seesIntermediates: () => Promise<boolean>;
}

export function presentedJudge({
  judge,
  admitClock,
  onIgnoredHeader,
  seesIntermediates,
}: JudgeOptions): JudgePresented {
  return async (presented, issuers) => {
    if (presented.by === 'handshake' && presented.hasIgnoredHeader) onIgnoredHeader();
    const chain = readPresented(presented);
    if (!chain.ok) return { outcome: chain, steps: [] };
    admitClock();
    const verdict = await judge.judge(chain.value, issuers);
    const isUnseen = presented.by === 'handshake' && chain.value.length === 1 && isWithoutPath(verdict);
    return isUnseen && !(await seesIntermediates()) ? withIntermediatesUnseen(verdict) : verdict;
  };
}

function isWithoutPath({ outcome }: Verdict): boolean {
  return !outcome.ok && outcome.refusal.reason === 'certificate-issuer-not-approved';
}

/** The caller may have sent the missing intermediates: the refusal must not blame it. */
function withIntermediatesUnseen(verdict: Verdict): Verdict {
  const unseen: Step = {
    rule: 'intermediates-seen',
    passed: false,
    about: 'this service',
    words: `Node ${process.version} shows the intermediates that callers send`,
    setting: 'use Node 26.10 or newer, or register the intermediates with the issuer',
    reason: 'certificate-issuer-not-approved',
  };
  return { ...verdict, outcome: refuse(unseen.reason, { rule: unseen.rule }), steps: [...verdict.steps, unseen] };
}

export function readPresented(presented: Presented): Outcome<PresentedChain> {
  switch (presented.by) {
    case 'handshake':
      return presented.chain.length > 0 ? accept(presented.chain) : refuse('certificate-missing');
    case 'header':
      return readCertificateHeader(presented.header, presented.lines, presented.chainLines);
    case 'nothing':
      return refuse('certificate-missing');
  }
}
