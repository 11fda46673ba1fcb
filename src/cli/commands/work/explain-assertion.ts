// `token-issuer explain` against the installation: its token issuers, its directory and its integrations.
import { printAssertionStep } from '../../../assertions/assertion-judge.ts';
import type { EpochSeconds } from '../../../core/time.ts';
import type { AssertionSetting } from '../../../core/token-issuer.ts';
import type { Step } from '../../../core/verdict.ts';
import type { AssertionExplanation } from '../../../operations/admin/explain.ts';
import { readInput } from '../../terminal/input.ts';
import type { Administration } from '../steps.ts';
import { printDryRun } from './explain.ts';

interface ExplainFlags {
  readonly file: string;
  readonly at?: EpochSeconds;
  readonly json?: true;
}

export async function explain({ file, at, json }: ExplainFlags, { act }: Administration): Promise<void> {
  const assertion = readInput(file).trim();
  const explained = namingFlags(await act('explain-assertion', { body: { assertion } }, { at }));
  const { steps, refusal, tokenIssuer, identityId } = explained;
  const conclusion = refusal ? `refused: ${refusal.reason}` : `accepted: ${identityId} by token issuer ${tokenIssuer}`;
  printDryRun(explained, [`judged as of ${explained.at}`, ...steps.map(printAssertionStep), conclusion], json);
}

/** What to change, in the words of `token-issuer change`. */
export const FLAGS: Readonly<Record<AssertionSetting, string>> = {
  algorithms: '--algorithm',
  audience: '--audience',
  assertions: '--assertions',
  maxAssertionLifetime: '--max-lifetime',
  conditions: '--when',
  identity: '--identity',
  identities: '--directory',
};

type Shown = Omit<AssertionExplanation, 'steps'> & { readonly steps: readonly Step[] };

function namingFlags(explanation: AssertionExplanation): Shown {
  const steps = explanation.steps.map((step) => (step.setting ? { ...step, setting: FLAGS[step.setting] } : step));
  return { ...explanation, steps };
}
