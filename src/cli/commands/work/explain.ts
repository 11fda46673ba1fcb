// `tessera explain`: why was it refused? Step by step, in the words of the log and of docs/errors.md.
import { readFileSync } from 'node:fs';
import { settingsOf } from '../../../config/load.ts';
import { refuse } from '../../../core/outcome.ts';
import { requestedTarget } from '../../../core/rules/scope.ts';
import { parseScope, scopeItems } from '../../../core/scope.ts';
import { openDirectories } from '../../../open-directory.ts';
import { openKeyring } from '../../../open-keyring.ts';
import { explainToken } from '../../../operations/admin/explain-token.ts';
import { FollowedRegistry } from '../../../store/registry.ts';
import { systemClock } from '../../../system.ts';
import { Keyring } from '../../../tokens/keyring.ts';
import { CommandFailure, EXIT } from '../../terminal/exit.ts';
import { print, printRecord } from '../../terminal/output.ts';
import type { Workplace } from '../../terminal/workplace.ts';
import { CHECK_STEPS, SCOPE_STEPS } from './check-steps.ts';
import type { CheckStep } from './common-steps.ts';
import { linesOfRequest } from './request-lines.ts';
import { refusalLines, verdictLines } from './verdict-lines.ts';

const STANDARD_INPUT = 0;

export async function explainRequest(id: string, { log }: { log?: string }): Promise<void> {
  const { request, details } = linesOfRequest(id, readFileSync(log ?? STANDARD_INPUT, 'utf8'));
  if (!request) {
    throw new CommandFailure(
      'refused',
      `the log has no request ${id}`,
      'Give the log of the node and the day: tessera explain request ID --log FILE. Requests of health checks need log.level debug.',
    );
  }
  const { msg: _msg, level: _level, operation, outcome, reason, ...rest } = request;
  printRecord({ operation, outcome, ...rest });
  for (const detail of details) print(detail);
  print('');
  printVerdict(CHECK_STEPS[String(operation)] ?? [], outcome === 'accepted' ? undefined : String(reason ?? outcome));
}

export async function explainTokenFile(file: string | undefined, _: unknown, workplace: Workplace): Promise<void> {
  const text = readFileSync(file ?? STANDARD_INPUT, 'utf8').trim();
  const { operation, refusal, facts } = await explainToken(text, await portsOf(workplace));
  if (Object.keys(facts).length > 0) printRecord(facts);
  print('');
  const steps = (CHECK_STEPS[operation] ?? []).filter(({ ofRequest }) => !ofRequest);
  printVerdict(steps, refusal);
}

export async function explainScope(clientId: string, wanted: string, _: unknown, { store }: Workplace): Promise<void> {
  const registry = await FollowedRegistry.load(store);
  const integration = registry.integration(clientId);
  if (!integration) return printVerdict(SCOPE_STEPS, 'integration-unknown');
  const outcome = integration.enabled
    ? requestedTarget({ scope: wanted }, integration, [])
    : refuse('integration-disabled');
  const allowed = new Set(scopeItems(integration.scope));
  const resources = new Set(integration.scope.resources.keys());
  const scope = parseScope(wanted);
  for (const item of scope ? scopeItems(scope) : []) {
    const has = allowed.has(item) || (!item.includes(':') && resources.has(item));
    print(`${has ? 'has  ' : 'LACKS'} ${item}`);
  }
  print(`The integration has: ${integration.scope.text}`);
  print('');
  printVerdict(SCOPE_STEPS, outcome.ok ? undefined : outcome.refusal.reason);
}

export function explainRefusal(refusal: string): void {
  const lines = refusalLines(refusal);
  if (!lines) throw new CommandFailure('refused', `there is no refusal ${refusal}`, 'docs/errors.md lists them all.');
  for (const line of lines) print(line);
}

function printVerdict(steps: readonly CheckStep[], refusal: string | undefined): void {
  for (const line of verdictLines(steps, refusal)) print(line);
  if (refusal !== undefined) process.exitCode = EXIT.refused;
}

async function portsOf({ config, store, random }: Workplace) {
  const registry = await FollowedRegistry.load(store);
  const keyring = new Keyring(await openKeyring(config, store));
  return {
    store,
    registry,
    keyring,
    random,
    directories: openDirectories(store, config),
    settings: settingsOf(config),
    clock: systemClock,
    issuer: config.publicUrl,
    // Nothing is presented, so nothing is judged.
    admitClock: () => undefined,
    judge: async () => ({ outcome: refuse('certificate-missing'), steps: [] }),
    logRefused: () => undefined,
    countIgnoredHeader: () => undefined,
  };
}
