// Which events are meant, as queries say it.
import { EVENT_TYPES, type EventType } from '../../core/event.ts';
import { described, integer, object, optional, string, type ValueOf } from '../../schema.ts';
import { ago, SELECTED_GRANTS } from './grant-filter.ts';
import { form } from './members.ts';
import { MOMENT } from './text-forms.ts';

/** A query has no more digits. */
const NUMBER = { minimum: 0, maximum: 999_999_999_999_999 };

export const EVENT_QUERY = object({
  after: optional(integer({ ...NUMBER, description: 'After this number. Without it, the newest.' })),
  before: optional(integer({ ...NUMBER, description: 'The newest before this number.' })),
  integration: SELECTED_GRANTS.integration,
  identity: SELECTED_GRANTS.identity,
  by: optional(string({ description: 'What this identity did: a user name or an id.' })),
  type: optional(described<EventType>({ type: 'string', enum: EVENT_TYPES, description: 'Of this type.' })),
  about: optional(string({ description: 'What was done to the thing of this name, such as an issuer.' })),
  within: ago('Of the last time.'),
  from: optional(
    form(MOMENT, 'object-malformed', 'Since this moment: 2026-11-18, or with a time such as 2026-11-18T03:00Z.'),
  ),
  to: optional(form(MOMENT, 'object-malformed', 'Before this moment.')),
  requestId: optional(string({ description: 'That this request caused.' })),
  epoch: optional(integer({ ...NUMBER, description: 'For followers: refused if the store was put back since.' })),
  limit: optional(integer({ minimum: 1, maximum: 10_000, description: 'At most this many. Default: 100.' })),
});

export type EventQuery = ValueOf<typeof EVENT_QUERY>;
