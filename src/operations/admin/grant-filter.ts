// Which grants are meant: as queries and bodies say it, for lists and for acts that end grants.
import { LIFETIME_MAX } from '../../core/settings.ts';
import type { Seconds } from '../../core/time.ts';
import { boolean, described, object, optional, string, type ValueOf } from '../../schema.ts';

export function ago(description: string) {
  return optional(
    described<Seconds>({
      type: 'integer',
      minimum: 0,
      maximum: LIFETIME_MAX,
      description: `${description} In seconds.`,
    }),
  );
}

export const SELECTED_GRANTS = {
  identity: optional(string({ description: 'Of this identity: a user name or an id.' })),
  integration: optional(string({ description: 'Of this integration.' })),
  certificate: optional(
    string({ description: 'By this certificate: its serial number, the SHA-256 of its key, or its mark in a grant.' }),
  ),
  guest: optional(string({ description: 'Of the client whose document has this address.' })),
  address: optional(string({ description: 'Whose newest token this address got.' })),
  since: ago('Made at most this long ago.'),
  until: ago('Made at least this long ago.'),
  ending: ago('That end within this time.'),
  unused: optional(boolean({ description: 'That were never refreshed, and whose access token has expired.' })),
};

/** Ended ones are there until they are swept. */
export const GRANT_FILTER = object({
  ...SELECTED_GRANTS,
  newest: optional(boolean({ description: 'Newest first.' })),
  all: optional(boolean({ description: 'Include ended ones.' })),
});

export type GrantFilter = ValueOf<typeof GRANT_FILTER>;
