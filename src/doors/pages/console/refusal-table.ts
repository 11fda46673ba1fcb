// What was refused lately: why, how often, since when.
import { actWords, isEnding } from '../../../core/act.ts';
import { isToCallers } from '../../../core/refusal.ts';
import type { Setting } from '../../../core/refusals/declaration.ts';
import { remediesOf } from '../../../core/refusals/remedy.ts';
import { idBehind, isBeforeChange, lastChangeBehind, repairOf } from '../../../core/rules/repair.ts';
import { isWithin, parseScope, type Scope } from '../../../core/scope.ts';
import type { Gives } from '../../../operations/admin/acts.ts';
import { userNames } from '../../../operations/admin/find-grants.ts';
import { describe } from '../../token/descriptions.ts';
import { type Html, html } from '../parts/html.ts';
import { enConsole } from '../parts/texts/en-console.ts';
import type { ConsoleVisit } from './access.ts';
import { authorText, type Names, namesIn } from './events.ts';
import {
  ago,
  certificateLink,
  dotted,
  identityLink,
  integrationLink,
  momentOf,
  nameText,
  pathOf,
  table,
  valueText,
} from './frame.ts';
import { formerIn, type LoggedEvent, THING_KINDS } from './things.ts';

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
  const refused = { ...row, last: momentOf(row.last) };
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
  const found = rows.map((row) => ({ ...row, ...changeBehind(row, changes) }));
  const mentioned = found.flatMap(({ change }) => change ?? []);
  const ids = rows.map(({ identityId }) => identityId);
  const names = new Map([...(await userNames(ids, visit.ports)), ...(await namesIn(mentioned, visit))]);
  const about = ({ change, isOver, ...row }: (typeof found)[number]) => {
    const action = visit.may === 'manage' && !visit.actsOn ? repairLink(row, change, names) : undefined;
    const { reason, claimed, clientId } = row;
    const removed = reason === 'certificate-issuer-not-approved' ? claimed?.label : undefined;
    const todo = [saidOf(reason), action, ...remedyOf(reason, !!action, removed), !action && wayFrom(row)];
    const scope = visit.parts.callerPorts.registry.integration(clientId)?.scope;
    const asked = repairOf(reason)?.setting === 'scope' ? parseScope(claimed?.scope ?? '') : undefined;
    const isAllowed = !!scope && !!asked && isWithin(asked, scope);
    const [said, ...rest] = isOver || isAllowed ? [] : todo;
    const changed = change && changeText(visit, change, names, isOver);
    const facts = [claimText(row), scopeText(row, scope, isAllowed), changed];
    const lines = [said, ...facts, ...rest].map((line) => line && html`<br>${line}`);
    return html`<span class="reason"><a href="/docs/errors?from=console#${row.reason}">${row.reason}</a>${lines}</span>`;
  };
  const often = ({ count, first, last, lastRequestId }: RefusalRow) =>
    html`${count} <span class="small">${words.since} ${ago(visit, momentOf(first))}, ${words.last} ${ago(visit, momentOf(last))}</span><br><span class="id small">${lastRequestId}</span>`;
  return table(
    enConsole.overview.refusedLately,
    [
      [words.reason, about],
      [enConsole.grant.integration, ({ clientId }) => integrationLink(clientId)],
      [enConsole.grant.identity, ({ identityId }) => identityLink(identityId, names)],
      [words.count, often],
    ],
    found,
  );
}

/** Whom the last certificate names. Anybody can send any name; if an issuer here signed it, its grants are known. */
function claimText({ claimed = {} }: RefusalRow): Html | undefined {
  const { subject, issuer = '', serial = '', label = '' } = claimed;
  if (subject === undefined) return undefined;
  const from = label
    ? [
        serial && html`${words.serial} ${certificateLink(serial)}`,
        html`<a href="${pathOf('issuers', label)}">${label}</a>`,
      ]
    : [serial && `${words.serial} ${serial}`, words.unverified(issuer)];
  return html`<span class="small"><strong>${words.certificate}</strong> ${dotted([subject, ...from])}</span>`;
}

/** What was asked for, and what its integration allows now. */
function scopeText({ claimed }: RefusalRow, scope: Scope | undefined, isAllowed: boolean): Html | undefined {
  if (claimed?.scope === undefined) return undefined;
  const limit = scope && html`<strong>${words.allowed}</strong> ${scope.text.slice(0, MOST_SHOWN)}`;
  return html`<span class="small"><strong>${words.asked}</strong> ${dotted([claimed.scope, isAllowed ? words.allowedNow : limit])}</span>`;
}

const MOST_SHOWN = 200;

/** To the exact act, or to the field of the form. What somebody did may have been done on purpose. */
function repairLink(row: RefusalRow, change: ChangeEvent | undefined, names: Names): Html | undefined {
  const needed = repairOf(row.reason);
  const of = THING_KINDS.find(({ kind }) => kind === needed?.kind);
  const id = needed && idBehind(row, needed);
  if (!needed || !of || !id || needed.setting === 'keys') return undefined;
  const { setting } = needed;
  const isAgain = setting === 'enabled' && of.isKept;
  if (setting === 'enabled' && (change ? !isEnding(change.detail) : isAgain)) return undefined;
  const isUndone = setting !== 'enabled' && change && formerIn(change)[setting] !== undefined;
  const again = `/console/${of.place}/new?${new URLSearchParams({ like: id })}`;
  const to = isUndone ? `?undo=${change.sequence}#${setting}_noted` : `#${setting}`;
  const act = setting === 'enabled' ? 'enable' : `change${to}`;
  const repairs: Readonly<Record<Exclude<Setting, 'keys'> | 'again', (name: string) => string>> = words.repairs;
  const thing = names.get(id) ?? id;
  const text = isUndone
    ? words.putBack(nameText(setting).toLowerCase(), thing)
    : repairs[isAgain ? 'again' : setting](thing);
  const doubt = isUndone ? words.doubtChange : setting === 'enabled' && words.doubt;
  return html`<a href="${isAgain ? again : `${pathOf(of.place, id)}/${act}`}"><strong>${text}</strong></a>${doubt && html` <span class="small">${doubt}</span>`}`;
}

function changeText(visit: ConsoleVisit, { at, detail }: ChangeEvent, names: Names, isOver: boolean): Html {
  const changed = 'changed' in detail ? Object.entries(detail.changed) : [];
  const fields = changed.map(
    ([name, { before, after }]) => html`, ${name}: ${valueText(before)} → ${valueText(after)}`,
  );
  return html`<span class="small"><strong>${isOver ? words.over : words.change}</strong> ${actWords(detail)} ${names.get(detail.id) ?? detail.id}${fields} · ${authorText(detail.by, names)} · ${ago(visit, at)}, ${visit.language.moment(at)}</span>`;
}

/** Where what caused a refusal is found, if not among the things of its repair. Integration and identity have columns of their own. */
const WAYS = [
  [/^assertion-/, 'token-issuers'],
  [/reused$/, 'events'],
  [/^grant-/, 'grants'],
] as const;

function wayFrom({ reason, clientId, identityId }: RefusalRow): Html | undefined {
  const list = THING_KINDS.find(({ kind, isKept }) => isKept && kind === repairOf(reason)?.kind)?.place;
  const place = list ?? WAYS.find(([pattern]) => pattern.test(reason))?.[1];
  const more = place === 'events' ? { type: 'reused' } : place === 'grants' ? { all: 'yes' } : undefined;
  const query = more && `?${new URLSearchParams({ integration: clientId, identity: identityId, ...more })}`;
  return place && html`<a href="/console/${place}${query}">${words.see} ${enConsole.menu[place]}</a>`;
}

function saidOf(reason: string): Html | undefined {
  const [text] = isToCallers(reason) ? describe({ reason }).split(/ [^.]*\bask the operator\b/i) : [];
  return text === undefined ? undefined : html`<span class="small">${text}</span>`;
}

/** What to do, as `tessera explain` says it, line by line. `isOffered`: what the operator does has a link. `issuer`: one that was removed. */
export function remedyOf(reason: string, isOffered = false, issuer = ''): readonly Html[] {
  const { caller, operator } = remediesOf(reason);
  const todo = { [words.todo]: isOffered ? undefined : operator, [words.caller]: issuer ? words.otherIssuer : caller };
  return Object.entries(todo).flatMap(([who, what]) =>
    what ? html`<span class="small"><strong>${who}</strong> ${what}</span>` : [],
  );
}
