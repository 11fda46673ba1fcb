// `tessera explain`: why was it refused? Step by step, in the words of the log and of docs/errors.md.
import type { Command } from 'commander';
import { CHECK_STEPS, type CheckStep, SCOPE_STEPS } from '../../../core/rules/order.ts';
import type { Gives } from '../../../operations/admin/acts.ts';
import { StoreMissing } from '../../../store/store.ts';
import { CommandFailure, EXIT } from '../../terminal/exit.ts';
import { readInput } from '../../terminal/input.ts';
import { print, printJson, printRecord, result } from '../../terminal/output.ts';
import { administered } from '../administration.ts';
import { printEventLines } from '../event-lines.ts';
import type { Administration } from '../steps.ts';
import { refusalLines, verdictLines } from './check-steps.ts';

/** What the log, the events and the counts of refusals have of a request. */
export async function explainRequest({ id, log }: { id: string; log?: string }, command: Command): Promise<void> {
  const text = readLog(log);
  const lines = linesOfRequest(id, text);
  const { events, refusals, scopes } = await knownOf(id, text !== '', command);
  if (!lines.request && events.length + refusals.length === 0) {
    if (log === undefined && text === '')
      throw new CommandFailure(
        'refused',
        `no refusal or event has the id ${id} yet`,
        'Refusals appear within seconds, in a flood within a minute; of equal ones, the last. The log has all: tessera explain request ID --log FILE',
      );
    throw new CommandFailure(
      'refused',
      `the log has no request ${id}`,
      'Give the log of the node and the day: tessera explain request ID --log FILE. Requests of health checks need log.level debug.',
    );
  }
  result({ log: lines.request ?? null, events, refusals });
  printEventLines(events);
  for (const { reason, clientId, identityId, claimed, count, first, last } of refusals)
    printRecord({
      reason,
      clientId,
      identityId,
      certificate: claimed?.subject,
      scope: claimed?.scope,
      document: claimed?.document,
      why: claimed?.why,
      allow: claimed?.allow,
      count,
      first,
      last,
    });
  for (const explained of scopes) printScope(explained);
  if (lines.request) printLogged(lines);
  else for (const { reason } of refusals) for (const line of refusalLines(reason) ?? []) print(line);
}

/** A log can be explained where there is no store. */
async function knownOf(id: string, hasLog: boolean, command: Command) {
  let known: Gives['explain-request'] = { events: [], refusals: [] };
  const scopes: Gives['explain-scope'][] = [];
  const look = administered(command, async ({ act }) => {
    known = await act('explain-request', { id });
    for (const { clientId: integration, claimed: { scope = '' } = {} } of known.refusals)
      if (scope) scopes.push(await act('explain-scope', { query: { integration, scope } }));
  });
  await look.catch((fault: unknown) => {
    if (!hasLog || !(fault instanceof CommandFailure || fault instanceof StoreMissing)) throw fault;
  });
  return { ...known, scopes };
}

/** Without a file, what is piped in. */
function readLog(file: string | undefined): string {
  if (file === undefined && process.stdin.isTTY) return '';
  return readInput(file);
}

function printLogged({ request = {}, details }: RequestLines): void {
  const { msg: _msg, level: _level, operation, outcome, reason, ...rest } = request;
  printRecord({ operation, outcome, ...rest });
  for (const detail of details) print(detail);
  print('');
  printVerdict(CHECK_STEPS[String(operation)] ?? [], outcome === 'accepted' ? undefined : String(reason ?? outcome));
}

export async function explainTokenFile({ file }: { file?: string }, { act }: Administration): Promise<void> {
  const token = readInput(file).trim();
  const explained = await act('explain-token', { body: { token } });
  result(explained);
  const { operation, refusal, facts } = explained;
  if (Object.keys(facts).length > 0) printRecord(facts);
  print('');
  const steps = (CHECK_STEPS[operation] ?? []).filter(({ of }) => of !== 'request');
  printVerdict(steps, refusal);
}

export async function explainScope({ clientId, scope }: { clientId: string; scope: string }, { act }: Administration) {
  const explained = await act('explain-scope', { query: { integration: clientId, scope } });
  result(explained);
  printScope(explained);
  printVerdict(SCOPE_STEPS, explained.refusal);
}

function printScope({ items, scope }: Gives['explain-scope']): void {
  for (const { item, has } of items) print(`${has ? 'has  ' : 'LACKS'} ${item}`);
  if (scope === undefined) return;
  print(`The integration has: ${scope}`);
  print('');
}

export function explainRefusal(refusal: string): void {
  const lines = refusalLines(refusal);
  if (!lines) throw new CommandFailure('refused', `there is no refusal ${refusal}`, 'docs/errors.md lists them all.');
  result({ refusal, says: lines.map((line) => line.trim()) });
  for (const line of lines) print(line);
}

interface DryRun {
  readonly accepted: boolean;
  readonly reach?: readonly { readonly clientId: string; readonly refusal?: string }[];
}

/** What a certificate or an assertion would get, and from which integrations. */
export function printDryRun(explained: DryRun, lines: readonly string[], json: true | undefined): void {
  const words = (refusal?: string) => (refusal ? `refuse: ${refusal}` : 'accept');
  const reach = explained.reach?.map(({ clientId, refusal }) => `  ${clientId} would ${words(refusal)}`) ?? [];
  if (json) printJson(explained);
  else for (const line of [...lines, ...reach]) print(line);
  if (!explained.accepted) process.exitCode = EXIT.refused;
}

function printVerdict(steps: readonly CheckStep[], refusal: string | undefined): void {
  for (const line of verdictLines(steps, refusal)) print(line);
  if (refusal !== undefined) process.exitCode = EXIT.refused;
}

/** A log line, as far as `tessera explain` shows it. */
type Line = Readonly<Record<string, string | number | boolean | undefined>>;

interface RequestLines {
  readonly request: Line | undefined;
  /** What other lines say about the same request, such as the rules of a refused certificate. */
  readonly details: readonly string[];
}

/** Finds the lines of a request in a log, whatever `log.format` is. Other lines are skipped. */
export function linesOfRequest(id: string, log: string): RequestLines {
  const lines = log
    .split('\n')
    .filter((line) => line.includes(id))
    .map(parsed)
    .filter((line) => line?.['id'] === id);
  const request = lines.find((line) => line?.['msg'] === 'request');
  const details = lines.flatMap((line) => (line && line !== request ? describe(line) : []));
  return { request, details };
}

function parsed(line: string): Line | undefined {
  try {
    return JSON.parse(line) as Line;
  } catch {
    return parsedPretty(line);
  }
}

/** `12:00:00.000 info  request  id=… operation=…`, as with `log.format: pretty`. */
function parsedPretty(line: string): Line | undefined {
  const [, time, msg, fields] = /^([\d:.]+) \w+ +(.+?) {2}(.+)$/.exec(line) ?? [];
  if (fields === undefined) return undefined;
  const named = [...fields.matchAll(/(\w+)=(\S+)/g)].map(([, name, value]) => [name, value]);
  return { time, msg, ...Object.fromEntries(named) };
}

function describe({ msg, level: _level, time: _time, id: _id, ...rest }: Line): string[] {
  const words = (value: unknown) =>
    Array.isArray(value) ? value.map((item) => `\n    ${item}`).join('') : ` ${value}`;
  return [`${msg}:`, ...Object.entries(rest).map(([name, value]) => `  ${name}:${words(value)}`)];
}
