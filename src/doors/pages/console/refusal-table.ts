// What was refused lately: why, how often, since when.
import { actWords, isEnding } from '../../../core/act.ts';
import { REFUSAL_REASONS, type RefusalReason } from '../../../core/refusal.ts';
import { isBeforeChange, isGuess, lastChangeBehind, repairOf } from '../../../core/rules/repair.ts';
import type { Gives } from '../../../operations/admin/act-formats.ts';
import { userNames } from '../../../operations/admin/find-grants.ts';
import { remediesOf } from '../../../operations/admin/refusal-meaning.ts';
import { describe } from '../../token/descriptions.ts';
import { type Html, html } from '../parts/html.ts';
import { enConsole } from '../parts/texts/en-console.ts';
import type { ConsoleVisit } from './access.ts';
import { authorText, type LoggedEvent, namesIn } from './events.ts';
import { ago, identityLink, integrationLink, momentOf, pathOf, requestLink, table, valueText } from './frame.ts';
import { THING_KINDS } from './things.ts';

const words = enConsole.refusals;

export type RefusalRow = Gives['refusal-list']['items'][number];

export type ChangeEvent = Extract<LoggedEvent, { readonly type: 'administered' }>;

/** What was changed lately: as many as the log reads at once. */
const CHANGES = 1000;

export async function changesNewestFirst(visit: ConsoleVisit): Promise<readonly ChangeEvent[]> {
  const found = await visit.act('event-list', { query: { type: 'administered', limit: CHANGES } });
  const events: readonly LoggedEvent[] = found.ok ? found.value.value.items : [];
  return events.filter((event) => event.type === 'administered').toReversed();
}

/** The last change of what this refusal depends on, and whether nobody was refused since. */
export function changeBehind(row: RefusalRow, newestFirst: readonly ChangeEvent[]) {
  const refused = { ...row, first: momentOf(row.first), last: momentOf(row.last) };
  const change = lastChangeBehind(refused, newestFirst);
  return { change, isOver: isBeforeChange(refused, change) };
}

export async function refusalTable(
  visit: ConsoleVisit,
  rows: readonly RefusalRow[],
  known?: readonly ChangeEvent[],
): Promise<Html> {
  if (rows.length === 0) return html`<p>${words.none}</p>`;
  const changes = known ?? (await changesNewestFirst(visit));
  const behind = new Map(rows.map((row) => [row, changeBehind(row, changes)]));
  const mentioned = [...behind.values()].flatMap(({ change }) => change ?? []);
  const holders = await userNames(
    rows.map(({ identityId }) => identityId),
    visit.ports,
  );
  const names = new Map([...holders, ...(await namesIn(mentioned, visit))]);
  const about = (row: RefusalRow) => {
    const { change, isOver } = behind.get(row) ?? changeBehind(row, changes);
    const action = visit.may === 'manage' && !visit.actsOn ? repairLink(row, change, names) : undefined;
    const needed = repairOf(row.reason);
    const isDone = isOver && needed && !isGuess(needed);
    const todo = [...(action ? [action] : []), ...remedyOf(row.reason, action !== undefined)];
    const lines = [...(change ? [changeText(visit, change, names, isOver)] : []), ...(isDone ? [] : todo)].map(
      (line) => html`<br>${line}`,
    );
    return html`<span class="reason"><a href="/docs/errors?from=console#${row.reason}">${row.reason}</a>${saidOf(row.reason)}${lines}${!action && !isDone && wayFrom(row)}</span>`;
  };
  return table(
    enConsole.overview.refusedLately,
    [
      [words.reason, about],
      [enConsole.grant.integration, ({ clientId }) => integrationLink(clientId)],
      [enConsole.grant.identity, ({ identityId }) => identityLink(identityId, names)],
      [
        words.count,
        ({ count, first }) => html`${count} <span class="small">${words.since} ${ago(visit, momentOf(first))}</span>`,
      ],
      [
        words.last,
        ({ last, lastRequestId }) => html`${ago(visit, momentOf(last))}<br>${requestLink(visit, lastRequestId)}`,
      ],
    ],
    rows,
  );
}

type Names = ReadonlyMap<string | undefined, string>;

/** To the exact act, or to the field of the form. */
function repairLink(row: RefusalRow, change: ChangeEvent | undefined, names: Names): Html | undefined {
  const { kind, setting } = repairOf(row.reason) ?? {};
  const place = THING_KINDS.find((each) => each.kind === kind)?.place;
  const link = (path: string, text: string) => html`<a href="${path}"><strong>${text}</strong></a>`;
  if (kind && kind !== 'identity' && kind !== 'integration') {
    const ended = setting === 'enabled' && change && isEnding(change.detail) ? change.detail.id : undefined;
    const again = `/console/${place}/new?${new URLSearchParams({ like: ended ?? '' })}`;
    return ended === undefined ? undefined : link(again, words.repairs.again(ended));
  }
  const id = kind === 'identity' ? row.identityId : row.clientId;
  if (!place || !setting || id === '' || !(setting in words.repairs)) return undefined;
  const text = words.repairs[setting as keyof typeof words.repairs](names.get(id) ?? id);
  return link(`${pathOf(place, id)}/${setting === 'enabled' ? 'enable' : `change#${setting}`}`, text);
}

function changeText(visit: ConsoleVisit, { at, detail }: ChangeEvent, names: Names, isOver: boolean): Html {
  const changed = 'changed' in detail ? Object.entries(detail.changed) : [];
  const fields = changed.map(
    ([name, { before, after }]) => html`, ${name}: ${valueText(before)} → ${valueText(after)}`,
  );
  return html`<span class="small"><strong>${isOver ? words.over : words.change}</strong> ${actWords(detail)} ${names.get(detail.id) ?? detail.id}${fields} · ${authorText(detail.by, names)} · ${ago(visit, at)}</span>`;
}

/** Where what caused a refusal is found. Integration and identity have columns of their own. */
const WAYS = [
  [/^certificate-issuer/, 'issuers'],
  [/^assertion-(?:issuer|key)/, 'token-issuers'],
  [/^(?:certificate|assertion)-/, 'explain'],
  [/reused$/, 'events'],
  [/^grant-/, 'grants'],
] as const;

function wayFrom({ reason, clientId, identityId }: RefusalRow): Html | undefined {
  const [, place] = WAYS.find(([pattern]) => pattern.test(reason)) ?? [];
  const more = place === 'events' ? { type: 'reused' } : place === 'grants' ? { all: 'yes' } : undefined;
  const query = more && `?${new URLSearchParams({ integration: clientId, identity: identityId, ...more })}`;
  return place && html`<br><a href="/console/${place}${query}">${words.see} ${enConsole.menu[place]}</a>`;
}

function saidOf(reason: string): Html | undefined {
  const known = REFUSAL_REASONS.find((each): each is RefusalReason => each === reason);
  return (
    known && html`<br><span class="small">${describe({ reason: known }).replace(/ Ask the operator\.$/, '')}</span>`
  );
}

/** What to do, as `tessera explain` says it, line by line. `isOffered`: what the operator does has a link. */
export function remedyOf(reason: string, isOffered = false): readonly Html[] {
  const { caller, operator } = remediesOf(reason);
  const line = (who: string, todo: string) => html`<span class="small"><strong>${who}</strong> ${todo}</span>`;
  return [
    ...(operator && !isOffered ? [line(words.todo, operator)] : []),
    ...(caller ? [line(words.caller, caller)] : []),
  ];
}
