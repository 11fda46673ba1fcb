import type { Verdict } from '../../core/verdict.ts';
import type { RefusedCertificate } from '../../operations/ports.ts';
import { printStep } from '../../pki/judge/explain.ts';
import { mappingStep } from '../../pki/judge/mapping-step.ts';

/** For the operator's log: which rule refused the certificate, and which setting decides. */
export interface RefusedLine {
  readonly id: string;
  readonly rule?: string;
  readonly setting?: string;
  /** The approved issuer, where a path leads to one. */
  readonly issuer?: string;
  readonly profile?: string;
  /** In the words of `tessera certificate explain`. */
  readonly steps: readonly string[];
}

export function describeRefused({ requestId, verdict, mapping }: RefusedCertificate): RefusedLine {
  const { issuer } = verdict;
  const steps = stepsOf(verdict, mapping);
  const failed = steps.find(({ passed }) => !passed);
  return {
    id: requestId,
    ...(failed && { rule: failed.rule, setting: failed.setting ?? 'every profile' }),
    ...(issuer && { issuer: issuer.label, profile: issuer.profile }),
    steps: steps.map(printStep),
  };
}

function stepsOf({ outcome, steps }: Verdict, mapping: RefusedCertificate['mapping']): Verdict['steps'] {
  return outcome.ok && mapping ? [...steps, mappingStep(outcome.value, mapping)] : steps;
}
