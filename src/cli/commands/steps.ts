// What administrative commands share: where their acts are done, and steps for several kinds of things.
import { weakeningsOf } from '../../core/rules/weakening.ts';
import type { ActName, Gives, Listed } from '../../operations/admin/act-formats.ts';
import type { Answered, Given } from '../../operations/admin/act-table.ts';
import type { Acted } from '../../operations/admin/admin.ts';
import { remark } from '../terminal/output.ts';
import { accepted } from '../terminal/wording.ts';

/** Beside the store, or at a service. */
export interface Administration {
  readonly attempt: <A extends ActName>(name: A, given?: Given) => Acted<Answered<Gives[A]>>;
  /** What an act gives. A refusal ends the command. */
  readonly act: <A extends ActName>(name: A, given?: Given) => Promise<Gives[A]>;
}

export function administrationBy(attempt: Administration['attempt']): Administration {
  return { attempt, act: async (name, given) => accepted(await attempt(name, given)).value };
}

export interface ServerFlags {
  readonly server?: string;
  /** The profile of `tessera login`. */
  readonly login?: string;
}

export type Kind = 'integration' | 'resource-server' | 'issuer' | 'token-issuer' | 'identity';

const MOST_TRIES = 20;

/** Replaces a thing by what `merge` makes of it, and says before what that weakens; again if somebody else changes it meanwhile. */
export async function change<K extends Kind>(
  kind: K,
  id: string,
  merge: (before: Gives[`${K}-show`]) => object,
  { attempt }: Administration,
): Promise<Gives[`${K}-put`]> {
  for (let tries = 1; ; tries++) {
    const { value, revision } = accepted(await attempt<`${K}-show`>(`${kind}-show`, { id }));
    const [before, body] = [value, merge(value)] as [Readonly<Record<string, unknown>>, object];
    const changes = Object.entries(body).map(([name, after]) => [name, { before: before[name], after }] as const);
    for (const line of weakeningsOf(changes)) remark(`Warning: ${line}`);
    const put = await attempt<`${K}-put`>(`${kind}-put`, { id, body, onlyIf: revision });
    if (put.ok || put.refusal.reason !== 'changed-meanwhile' || tries >= MOST_TRIES) return accepted(put).value;
  }
}

type ItemOf<A extends ActName> = Gives[A] extends Listed<infer T> ? T : never;

const PAGE = 1000;

/** The items of all pages, until there are `most` of them. */
export async function itemsOf<A extends ActName>(
  name: A,
  query: object,
  { act }: Administration,
  most = Number.POSITIVE_INFINITY,
): Promise<readonly ItemOf<A>[]> {
  const items: ItemOf<A>[] = [];
  for (let cursor: string | undefined; ; ) {
    const page = await act(name, { query: { ...query, limit: PAGE, ...(cursor && { cursor }) } });
    const { items: found, next } = page as Listed<ItemOf<A>>;
    items.push(...found);
    if (next === undefined || items.length >= most) return items.slice(0, most);
    cursor = next;
  }
}
