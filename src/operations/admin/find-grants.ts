import { type Grant, type GrantId, grantState } from '../../core/grant.ts';
import type { Hex } from '../../core/hex.ts';
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
  /** The mark of a certificate, as a grant shows it, or the SHA-256 of its key. */
  readonly certificate?: string;
  /** The address that presented the newest token. */
  readonly address?: string;
  /** Only grants that were made from this moment on, and before that one. */
  readonly since?: EpochSeconds;
  readonly until?: EpochSeconds;
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
  const query = await queryOf(filter, ports);
  if (!query.ok) return query;
  const { now, ...conditions } = query.value;
  const found: Grant[] = [];
  for await (const grant of rows(ports.store, grants, conditions)) {
    if (matches(grant, filter, now)) found.push(grant);
    if (found.length >= limit) break;
  }
  return accept({ grants: found, now });
}

/** The most rows that one page reads: a request must not read a whole table to find nothing. */
const MOST_READ = 1000;

/** One page. `next`: the key after which the following one begins; the page itself may be short, even empty. */
export async function pageOfGrants(
  filter: GrantFilter,
  { limit, after: start }: { readonly limit: number; readonly after?: string | undefined },
  ports: Pick<AdminPorts, 'store'>,
): Promise<AdminOutcome<FoundGrants & { readonly next?: string }>> {
  const query = await queryOf(filter, ports);
  if (!query.ok) return query;
  const { now, ...conditions } = query.value;
  const from = start === undefined ? {} : { after: start };
  const read = await ports.store.page(grants, { ...conditions, ...from, limit: MOST_READ });
  const found = read.filter((grant) => matches(grant, filter, now));
  const page = found.slice(0, limit);
  const last = found.length > limit ? page.at(-1) : read.length === MOST_READ ? read.at(-1) : undefined;
  return accept({ grants: page, now, ...(last && { next: last.id }) });
}

async function queryOf(filter: GrantFilter, ports: Pick<AdminPorts, 'store'>) {
  const where = await whereOf(filter, ports);
  if (!where.ok) return where;
  const now = await ports.store.now();
  return accept({
    now,
    ...(where.value && { where: where.value }),
    ...(filter.ending !== undefined && { endingBefore: after(now, filter.ending) }),
  });
}

function matches(grant: Grant, filter: GrantFilter, now: EpochSeconds): boolean {
  const { integration, certificate, address, since, until, all } = filter;
  const mark = grant.origin.kind === 'certificate' ? grant.origin.certificate : undefined;
  return (
    (integration === undefined || grant.clientId === integration) &&
    (certificate === undefined || mark?.certificate === certificate || mark?.key === certificate) &&
    (address === undefined || grant.pair.presenter.address === address) &&
    (since === undefined || grant.createdAt >= since) &&
    (until === undefined || grant.createdAt < until) &&
    (all === true || grantState(grant, now) === 'live')
  );
}

/** An unknown name is refused: otherwise a typing error would look like "no grants". */
async function whereOf(
  { identity, integration, certificate }: GrantFilter,
  ports: Pick<AdminPorts, 'store'>,
): Promise<AdminOutcome<Where | undefined>> {
  if (integration !== undefined) {
    const known = await findIntegration(integration, ports);
    if (!known.ok) return known;
  }
  // The mark has an index; the key of a certificate has none.
  if (certificate !== undefined && MARK.test(certificate)) return accept(grantsOf.certificate(certificate as Hex));
  if (identity === undefined) return accept(integration === undefined ? undefined : grantsOf.integration(integration));
  const holder = await findIdentity(identity, ports);
  return holder.ok ? accept(grantsOf.holder(holder.value.id)) : holder;
}

const MARK = /^[0-9a-f]{32}$/;
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
