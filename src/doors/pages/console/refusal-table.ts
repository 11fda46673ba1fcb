// What was refused lately: why, how often, since when.
import { REFUSAL_REASONS, type RefusalReason } from '../../../core/refusal.ts';
import type { Gives } from '../../../operations/admin/act-formats.ts';
import { meaningOf } from '../../../operations/admin/refusal-meaning.ts';
import { userNames } from '../../../operations/admin/show-grant.ts';
import { describe } from '../../token/descriptions.ts';
import { type Html, html } from '../parts/html.ts';
import { enConsole } from '../parts/texts/en-console.ts';
import type { ConsoleVisit } from './access.ts';
import { ago, identityLink, integrationLink, momentOf, requestLink, table } from './frame.ts';

const words = enConsole.refusals;

export type RefusalRow = Gives['refusal-list']['items'][number];

export async function refusalTable(visit: ConsoleVisit, rows: readonly RefusalRow[]): Promise<Html> {
  if (rows.length === 0) return html`<p>${words.none}</p>`;
  const names = await userNames(
    rows.map(({ identityId }) => identityId),
    visit.ports,
  );
  return table(
    enConsole.overview.refusedLately,
    [
      [
        words.reason,
        (row) =>
          html`<span class="reason"><a href="/docs/errors#${row.reason}">${row.reason}</a>${saidOf(row.reason)}${remedyOf(row.reason)}${wayFrom(row)}</span>`,
      ],
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
  return known && html`<br><span class="small">${describe({ reason: known })}</span>`;
}

/** What to do, as `tessera explain` says it. */
export function remedyOf(reason: string): Html | undefined {
  const todo = meaningOf(reason);
  return todo === undefined ? undefined : html`<br><span class="small"><strong>${words.todo}</strong> ${todo}</span>`;
}
