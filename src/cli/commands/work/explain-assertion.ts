// `token-issuer explain` against the installation: its token issuers, its directory and its integrations.
import type { Command } from 'commander';
import { AssertionJudge, printAssertionStep } from '../../../assertions/assertion-judge.ts';
import { IssuerKeys } from '../../../assertions/issuer-keys.ts';
import { tokenEndpointOf } from '../../../config/served-doors.ts';
import type { EpochSeconds } from '../../../core/time.ts';
import type { AssertionSetting } from '../../../core/token-issuer.ts';
import type { Step } from '../../../core/verdict.ts';
import { openDirectories } from '../../../open-directory.ts';
import { type AssertionExplanation, explainAssertion } from '../../../operations/admin/explain-assertion.ts';
import { systemFetch } from '../../../outbound/guarded-fetch.ts';
import { ALONE } from '../../../outbound/shared-download.ts';
import { FollowedRegistry } from '../../../store/registry.ts';
import { keySets } from '../../../store/tables/key-sets.ts';
import { systemClock } from '../../../system.ts';
import { readInput } from '../../terminal/input.ts';
import { atWorkplace, type Workplace } from '../../terminal/workplace.ts';
import { refuseAtService, serviceOf } from '../administration.ts';
import { printDryRun } from './explain.ts';

interface ExplainFlags {
  readonly at?: EpochSeconds;
  readonly json?: true;
}

export async function explain(file: string, flags: ExplainFlags, command: Command): Promise<void> {
  const assertion = readInput(file).trim();
  const service = await serviceOf(command);
  if (service) {
    refuseAtService({ at: flags.at });
    const explained = await service.act('explain-assertion', { body: { assertion } });
    return show(namingFlags(explained), flags);
  }
  return atWorkplace(command, async (workplace) =>
    show(namingFlags(await explainByStore(assertion, flags, workplace)), flags),
  );
}

/** Judges as a request would be judged now: uses the keys in the store, or fetches them; writes nothing. */
async function explainByStore(
  assertion: string,
  { at }: ExplainFlags,
  { store, config }: Workplace,
): Promise<AssertionExplanation> {
  const registry = await FollowedRegistry.load(store);
  const find = async (name: string) => (await store.load(keySets, name)).found?.row;
  const keys = new IssuerKeys({ fetch: systemFetch(), now: systemClock.now, exchange: { ...ALONE, find } });
  const now = at ?? systemClock.now();
  const ourTokenEndpoint = tokenEndpointOf(config);
  const judge = new AssertionJudge({ keys, ourIssuer: config.publicUrl, ourTokenEndpoint, now: () => now });
  return explainAssertion(assertion, now, {
    judge,
    registry,
    store,
    directories: await openDirectories(store, config),
  });
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

function show(explanation: Shown, { json }: ExplainFlags): void {
  const { at, steps, refusal, tokenIssuer, identityId } = explanation;
  const conclusion = refusal ? `refused: ${refusal.reason}` : `accepted: ${identityId} by token issuer ${tokenIssuer}`;
  printDryRun(explanation, [`judged as of ${at}`, ...steps.map(printAssertionStep), conclusion], json);
}
