// The kinds of things that the console shows and changes, all by the same pages.

import type { ActName, Listed } from '../../../operations/admin/act-formats.ts';
import { ACTS } from '../../../operations/admin/act-table.ts';
import type { AdminOutcome } from '../../../operations/admin/admin.ts';
import type { Section } from '../../../operations/admin/objects.ts';
import type { Schema } from '../../../schema.ts';
import type { enConsole } from '../parts/texts/en-console.ts';
import type { ConsoleVisit } from './access.ts';

export type Thing = Readonly<Record<string, unknown>>;

export type SimpleAct = keyof (typeof enConsole.object)['now'];

export interface Ended {
  readonly endedGrants?: number;
}

export interface ThingKind {
  readonly place: 'integrations' | 'issuers' | 'token-issuers' | 'resource-servers' | 'identities';
  /** As the names of acts begin. */
  readonly kind: string;
  readonly section: Section;
  /** The member with its name, and those that the list shows. */
  readonly key: string;
  readonly listed: readonly string[];
  /** Besides making, changing and showing. */
  readonly acts: readonly SimpleAct[];
}

function thing(
  place: ThingKind['place'],
  kind: string,
  section: Section,
  key: string,
  listed: string,
  ...acts: readonly SimpleAct[]
): ThingKind {
  return { place, kind, section, key, listed: listed.split(' '), acts: [...acts, 'remove'] };
}

export const THING_KINDS: readonly ThingKind[] = [
  thing('integrations', 'integration', 'integrations', 'clientId', 'name scope vendor', 'enable', 'disable', 'secret'),
  thing('issuers', 'issuer', 'issuers', 'label', 'subject expires'),
  thing('token-issuers', 'token-issuer', 'tokenIssuers', 'label', 'issuer'),
  thing('resource-servers', 'resource-server', 'resourceServers', 'id', 'name audience resources', 'secret'),
  thing('identities', 'identity', 'identities', 'id', 'userName email groups', 'enable', 'disable', 'password'),
];

export function schemaOf({ kind }: ThingKind): Schema {
  return ACTS[`${kind}-put` as ActName].body as Schema;
}

/** An act of a kind: the names are in the table, which the type of `act` knows only one by one. */
export function actOf(
  visit: ConsoleVisit,
  { kind }: ThingKind,
  act: string,
  given: Parameters<ConsoleVisit['act']>[1] = {},
) {
  const done = visit.act(`${kind}-${act}` as ActName, given);
  return done as unknown as Promise<
    AdminOutcome<{ readonly value: Thing & Partial<Listed<Thing>> & Ended; readonly revision?: number }>
  >;
}
