// The judge that operations call: parses what was presented, then validates it by the approved issuers.
import type { Presented, PresentedChain } from '../../core/certificate.ts';
import { accept, type Outcome, refuse } from '../../core/outcome.ts';
import type { JudgePresented } from '../../operations/ports.ts';
import type { CertificateJudge } from '../../pki/judge/certificate-judge.ts';
import { readCertificateHeader } from './presented-header.ts';

export interface JudgeOptions {
  readonly judge: Pick<CertificateJudge, 'judge'>;
  /** Throws StoreUnavailable if the clock is wrong: it would accept expired certificates, or refuse valid ones. */
  readonly admitClock: () => void;
  /** A peer that is not a listed proxy sent a certificate header: usually a mistake in the set-up of a proxy. */
  readonly onIgnoredHeader: () => void;
}

export function presentedJudge({ judge, admitClock, onIgnoredHeader }: JudgeOptions): JudgePresented {
  return async (presented, issuers) => {
    if (presented.by === 'handshake' && presented.hasIgnoredHeader) onIgnoredHeader();
    const chain = readPresented(presented);
    if (!chain.ok) return { outcome: chain, steps: [] };
    admitClock();
    return judge.judge(chain.value, issuers);
  };
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
