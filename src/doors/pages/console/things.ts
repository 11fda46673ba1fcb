// The kinds of things that the console shows and changes, all by the same pages, and what can be done to them: the table of acts says it.
import { includes } from '../../../core/rules/operator.ts';
import type { Act, Listed } from '../../../operations/admin/acts/act.ts';
import { ON_INTEGRATIONS } from '../../../operations/admin/acts/owned-act.ts';
import { ACTS, type ActName, type Gives } from '../../../operations/admin/acts.ts';
import type { Acted } from '../../../operations/admin/admin.ts';
import type { Entered } from '../../../operations/admin/members.ts';
import type { Section, Written } from '../../../operations/admin/objects.ts';
import type { Registered } from '../../../operations/admin/perform.ts';
import type { Schema } from '../../../schema.ts';
import type { ConsoleVisit } from './access.ts';
import { valueText } from './frame.ts';

/** The keywords that decide how a member is entered. */
export interface Keywords {
  readonly type?: string;
  readonly format?: string;
  readonly description?: string;
  /** What a form says above the member. */
  readonly note?: string;
  readonly enum?: readonly (string | boolean)[];
  readonly items?: Keywords;
  readonly anyOf?: readonly Keywords[];
  readonly properties?: Readonly<Record<string, Keywords>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: unknown;
  readonly default?: unknown;
  readonly 'x-initial'?: unknown;
  readonly 'x-entered'?: Entered;
  readonly readOnly?: boolean;
  readonly writeOnly?: boolean;
}

/** The keywords of a schema. */
export function keywordsOf(schema: Schema | undefined): Keywords {
  return (schema ?? {}) as Keywords;
}

export type LoggedEvent = Gives['event-list']['items'][number];
export type Thing = Readonly<Record<string, unknown>>;
/** What is done to a thing, besides making and changing it, as in the names of acts. Each needs its words: en-console.ts. */
export type Verb = Exclude<VerbOf<ActName>, 'put' | 'list' | 'show' | `${string}-list`>;
type VerbOf<Name extends ActName> = Name extends `${Registered}-${infer Verb}` ? Verb : never;

export interface ThingKind {
  readonly place: 'integrations' | 'issuers' | 'token-issuers' | 'resource-servers' | 'identities';
  /** As the names of acts begin. */
  readonly kind: Registered;
  readonly section: Section;
  /** The member with its name, and those that the list shows. */
  readonly key: string;
  readonly listed: readonly string[];
  readonly verbs: readonly Verb[];
  /** Whether removed ones stay in the list, to be registered again. */
  readonly isKept: boolean;
}

function thing<K extends Registered>(
  place: ThingKind['place'],
  kind: K,
  section: Section,
  key: keyof Written[K] & string,
  listed: readonly (keyof Written[K] & string)[],
): ThingKind {
  const verbs = Object.entries(ACTS)
    .filter(([name, { page, method }]) => page === place && method !== 'GET' && name !== `${kind}-put`)
    .map(([name]) => name.slice(kind.length + 1) as Verb);
  return { place, kind, section, key, listed, verbs, isKept: kind.endsWith('issuer') };
}

export const THING_KINDS: readonly ThingKind[] = [
  thing('integrations', 'integration', 'integrations', 'clientId', ['name', 'scope', 'vendor']),
  thing('issuers', 'issuer', 'issuers', 'label', ['subject', 'expires']),
  thing('token-issuers', 'token-issuer', 'tokenIssuers', 'label', ['issuer']),
  thing('resource-servers', 'resource-server', 'resourceServers', 'id', ['name', 'audience', 'resources']),
  thing('identities', 'identity', 'identities', 'id', ['userName', 'email', 'groups']),
];

export function schemaOf({ kind }: ThingKind): Keywords {
  return keywordsOf(ACTS[`${kind}-put`].body);
}

export function rowOf({ kind }: ThingKind, verb: Verb): Act {
  return ACTS[`${kind}-${verb}` as ActName];
}

/** Owners operate theirs; the rest is for operators. */
export function mayDo({ may, actsOn }: ConsoleVisit, of: ThingKind, verb: Verb): boolean {
  const isOwners = ON_INTEGRATIONS.includes(`${of.kind}-${verb}` as ActName);
  return includes(may, rowOf(of, verb).permission) && (!actsOn || isOwners);
}

/** What an act changed, as it was before. Not texts so long that events have only their hash. */
export function formerIn({ type, detail }: LoggedEvent): Thing {
  const changed = type === 'administered' && 'changed' in detail ? Object.entries(detail.changed) : [];
  const whole = changed.filter(([, values]) => !JSON.stringify(values).includes('"sha256:'));
  return Object.fromEntries(whole.map(([name, { before }]) => [name, before]));
}

export function titleOf(thing: Thing, id: string): string {
  return valueText(thing['name'] ?? thing['userName']) || id;
}

export interface Done extends Thing, Partial<Listed<Thing>> {
  readonly endedGrants?: number;
  /** Shown once. */
  readonly secret?: string;
  readonly invitation?: string;
}

/** An act of a kind: the names are in the table, which the type of `act` knows only one by one. */
export function actOf(
  visit: ConsoleVisit,
  { kind }: ThingKind,
  act: string,
  given: Parameters<ConsoleVisit['act']>[1] = {},
) {
  const done = visit.act(`${kind}-${act}` as ActName, given);
  return done as unknown as Acted<{ readonly value: Done; readonly revision?: number }>;
}
