import { type Grant, type GrantId, grantState, guestOf } from '../../core/grant.ts';
import { accept } from '../../core/outcome.ts';
import { after, type EpochSeconds, type Seconds } from '../../core/time.ts';
import { rows } from '../../store/pages.ts';
import type { Where } from '../../store/table.ts';
import { grants, grantsOf } from '../../store/tables/grants.ts';
import { type AdminOutcome, type AdminPorts, decline } from './admin.ts';
import { findIdentity } from './find-identity.ts';
import { findIntegration } from './find-integration.ts';

export interface GrantFilter {
  /** The holder, by user name or id. */
  readonly identity?: string;
  /** A client id. */
  readonly integration?: string;
  /** The address of a client that nobody registered. */
  readonly guest?: string;
  /** Only grants that end within this time. */
  readonly ending?: Seconds;
  /** Ended grants too, until they are swept. */
  readonly all?: true;
}

export interface FoundGrants {
  readonly grants: readonly Grant[];
  readonly now: EpochSeconds;
}

/** At most `limit` grants that match. One condition uses an index; the others are checked row by row. */
export async function findGrants(
  filter: GrantFilter,
  limit: number,
  ports: Pick<AdminPorts, 'store'>,
): Promise<AdminOutcome<FoundGrants>> {
  const { integration, guest, ending, all } = filter;
  const where = await whereOf(filter, ports);
  if (!where.ok) return where;
  const { store } = ports;
  const now = await store.now();
  const found: Grant[] = [];
  let isKnown = guest === undefined;
  const query = {
    ...(where.value && { where: where.value }),
    ...(ending !== undefined && { endingBefore: after(now, ending) }),
  };
  for await (const grant of rows(store, grants, query)) {
    if (guest !== undefined && guestOf(grant) !== guest) continue;
    isKnown = true;
    const matches = integration === undefined || grant.clientId === integration;
    if (matches && (all || grantState(grant, now) === 'live')) found.push(grant);
    if (found.length >= limit) break;
  }
  return isKnown ? accept({ grants: found, now }) : decline('guest-unknown', guest ?? '');
}

/** An unknown name is refused: otherwise a typing error would look like "no grants". */
async function whereOf(
  { identity, integration }: GrantFilter,
  ports: Pick<AdminPorts, 'store'>,
): Promise<AdminOutcome<Where | undefined>> {
  if (integration !== undefined) {
    const known = await findIntegration(integration, ports);
    if (!known.ok) return known;
  }
  if (identity === undefined) return accept(integration === undefined ? undefined : grantsOf.integration(integration));
  const holder = await findIdentity(identity, ports);
  return holder.ok ? accept(grantsOf.holder(holder.value.id)) : holder;
}

const DIGITS = 32;

/** The grant that the text names: its id, or the first digits of it, at least four, if no other id begins with them. */
export async function findGrantId(text: string, { store }: Pick<AdminPorts, 'store'>): Promise<AdminOutcome<GrantId>> {
  if (!/^[0-9a-f]{4,32}$/.test(text)) return decline('grant-unknown', text);
  if (text.length === DIGITS) return accept(text as GrantId);
  const found = await store.page(grants, { ...justBefore(text), limit: 2 });
  const [grant, ...others] = found.filter(({ id }) => id.startsWith(text));
  if (!grant) return decline('grant-unknown', text);
  return others.length > 0 ? decline('grant-ambiguous', text) : accept(grant.id);
}

/** Pages begin after a key: the one before the lowest id with these first digits. */
function justBefore(digits: string): { after?: string } {
  const lowest = BigInt(`0x${digits.padEnd(DIGITS, '0')}`);
  return lowest === 0n ? {} : { after: (lowest - 1n).toString(16).padStart(DIGITS, '0') };
}
