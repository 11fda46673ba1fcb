import { type Grant, type GrantId, grantState, guestOf, isUnused } from '../../core/grant.ts';
import type { Hex } from '../../core/hex.ts';
import type { Identity, IdentityId } from '../../core/identity.ts';
import { accept } from '../../core/outcome.ts';
import { CODE_LIFETIME } from '../../core/rules/code.ts';
import { after, type EpochSeconds, isoTime, type Seconds, seconds } from '../../core/time.ts';
import { rows } from '../../store/pages.ts';
import type { Store, StorePort } from '../../store/store.ts';
import type { Where } from '../../store/table.ts';
import { grants, grantsOf } from '../../store/tables/grants.ts';
import { identities } from '../../store/tables/identities.ts';
import { issuers } from '../../store/tables/issuers.ts';
import { type Acted, type AdminPorts, decline } from './admin.ts';
import { findIdentity } from './find-identity.ts';
import type { GrantFilter } from './grant-filter.ts';
import { findThing } from './perform.ts';

export interface FoundGrants {
  readonly grants: readonly Grant[];
  readonly now: EpochSeconds;
}

/** At most `limit` grants that match. One condition uses an index; the others are checked row by row. */
export async function findGrants(filter: GrantFilter, limit: number, ports: StorePort): Acted<FoundGrants> {
  const found: Grant[] = [];
  for (let start: string | undefined; ; ) {
    const page = await pageOfGrants(filter, { limit: MOST_READ, after: start }, ports);
    if (!page.ok) return page;
    found.push(...page.value.grants);
    start = page.value.next;
    if (start === undefined || found.length >= limit)
      return accept({ grants: found.slice(0, limit), now: page.value.now });
  }
}

/** The most rows that one page reads: a request must not read a whole table to find nothing. */
const MOST_READ = 1000;

/** One page. `next`: the key after which the following one begins; the page itself may be short, even empty. */
export async function pageOfGrants(
  filter: GrantFilter,
  { limit, after: start }: { readonly limit: number; readonly after?: string | undefined },
  ports: StorePort & Pick<AdminPorts, 'isOwner'>,
): Acted<FoundGrants & { readonly next?: string }> {
  const resolved = await resolve(filter, ports);
  if (!resolved.ok) return resolved;
  // A page of owners does not depend on grants elsewhere.
  const where = whereOf(ports.isOwner ? { integration: resolved.value.integration } : resolved.value);
  const now = await ports.store.now();
  const { since, until, ending, newest } = filter;
  const first =
    start ?? (since !== undefined && !newest ? firstKey(after(now, seconds(0 - since - CODE_LIFETIME))) : undefined);
  const read = await ports.store.page(grants, {
    ...(where && { where }),
    ...(ending !== undefined && { endingBefore: after(now, ending) }),
    ...(first !== undefined && { after: first }),
    ...(newest && { isDescending: true }),
    limit: MOST_READ,
  });
  const found = read.filter((grant) => matches(grant, resolved.value, now));
  const { guest } = filter;
  const isOnly = start === undefined && read.length < MOST_READ;
  if (guest !== undefined && isOnly && !read.some((grant) => guestOf(grant) === guest))
    return decline('guest-unknown', guest);
  const page = found.slice(0, limit);
  const end = read.at(-1);
  // Keys are in the order of creation, except that a grant by authorization code has the id of its code.
  const edge = newest ? since : until;
  const isPast = end && edge !== undefined && (newest ? -1 : 1) * (end.createdAt - (now - edge)) > CODE_LIFETIME;
  const isOver = read.length < MOST_READ || isPast;
  const last = found.length > limit ? page.at(-1) : isOver ? undefined : end;
  return accept({ grants: page, now, ...(last && { next: last.id }) });
}

/** Grants that were made from that moment on have higher keys, which begin with the time in milliseconds. */
function firstKey(moment: EpochSeconds): string {
  return (Math.max(0, moment) * 1000).toString(16).padStart(12, '0').padEnd(DIGITS, '0');
}

/** What a grant must be, by what is asked for. */
const TESTS = {
  integration: ({ clientId }: Grant, id: string) => clientId === id,
  guest: (grant: Grant, address: string) => guestOf(grant) === address,
  holder: ({ identityId }: Grant, id: IdentityId) => identityId === id,
  /** SHA-256 of the key of the certificate. */
  key: (grant: Grant, key: string) => certificateOf(grant)?.key === key,
  mark: (grant: Grant, mark: Hex) => certificateOf(grant)?.certificate === mark,
  address: ({ pair }: Grant, address: string) => pair.presenter.address === address,
  since: ({ createdAt }: Grant, ago: Seconds, now: EpochSeconds) => createdAt >= now - ago,
  until: ({ createdAt }: Grant, ago: Seconds, now: EpochSeconds) => createdAt <= now - ago,
  unused: (grant: Grant, wanted: boolean, now: EpochSeconds) => isUnused(grant, now) === wanted,
};
type Conditions = { readonly [Name in keyof typeof TESTS]?: Parameters<(typeof TESTS)[Name]>[1] | undefined };
type ResolvedFilter = Conditions & Pick<GrantFilter, 'all'>;

/** Every condition counts, whichever of them the index was used for. */
function matches(grant: Grant, { all, ...conditions }: ResolvedFilter, now: EpochSeconds): boolean {
  if (!all && grantState(grant, now) !== 'live') return false;
  const asked = Object.entries(conditions).filter(([, value]) => value !== undefined);
  return asked.every(([name, value]) => TESTS[name as keyof Conditions](grant, value as never, now));
}

function certificateOf({ origin }: Grant) {
  return origin.kind === 'certificate' ? origin.certificate : undefined;
}

/** An unknown name is refused: otherwise a typing error would look like "no grants". */
async function resolve(filter: GrantFilter, ports: StorePort): Acted<ResolvedFilter> {
  const { integration, guest, identity, certificate, address, since, until, unused, all = false } = filter;
  const known = integration === undefined ? undefined : await findThing('integration', integration, ports);
  if (known?.ok === false) return known;
  const holder = identity === undefined ? undefined : await findIdentity(identity, ports);
  if (holder?.ok === false) return holder;
  const isKey = certificate !== undefined && KEY.test(certificate);
  const mark = certificate === undefined || isKey ? undefined : await findMark(certificate, ports);
  if (certificate !== undefined && !isKey && !mark) return decline('certificate-unknown', certificate);
  const key = isKey ? certificate : undefined;
  return accept({ integration, guest, holder: holder?.value.id, key, mark, address, since, until, unused, all });
}

/** The condition with the fewest grants, of those that have an index. The key of a certificate has none. */
function whereOf({ mark, holder, integration }: ResolvedFilter): Where | undefined {
  if (mark !== undefined) return grantsOf.certificate(mark);
  if (holder !== undefined) return grantsOf.holder(holder);
  return integration === undefined ? undefined : grantsOf.integration(integration);
}

/** SHA-256, in hex. */
const KEY = /^[0-9a-f]{64}$/;

/** The mark that a grant has of a certificate: given itself, or made of a serial number and the authority that has issued it. */
async function findMark(text: string, { store }: StorePort): Promise<Hex | undefined> {
  const serial = text.replaceAll(':', '').toLowerCase();
  if (!/^[0-9a-f]{1,40}$/.test(serial)) return undefined;
  // As encoded: a number whose first bit is set begins with a zero byte.
  const bytes = Buffer.from(`00${'0'.repeat(serial.length % 2)}${serial}`, 'hex');
  const start = bytes.findIndex((byte, at) => byte !== 0 || (bytes[at + 1] ?? 0) > 127);
  const encoded = bytes.subarray(Math.max(0, start));
  const { certificateMark, readCertificate } = await import('../../pki/x509/certificate.ts');
  const marks = serial.length === DIGITS ? [serial as Hex] : [];
  for await (const { certificate, intermediates } of rows(store, issuers)) {
    const authorities = [certificate, ...intermediates].map(readCertificate);
    marks.push(...authorities.flatMap((read) => (read.ok ? certificateMark(read.value, encoded) : [])));
  }
  for (const mark of marks) {
    if ((await store.find(grants, grantsOf.certificate(mark), 1)).length > 0) return mark;
  }
  return undefined;
}

const DIGITS = 32;

/** The grant that the text names: its id, or the first digits of it, at least four, if no other id begins with them. */
export async function findGrantId(text: string, { store }: StorePort): Acted<GrantId> {
  if (!/^[0-9a-f]{4,32}$/.test(text)) return decline('grant-unknown', text);
  if (text.length === DIGITS) return accept(text as GrantId);
  const [grant, ...others] = await grantsBeginning(text, 2, store);
  if (!grant) return decline('grant-unknown', text);
  return others.length > 0 ? decline('grant-ambiguous', text) : accept(grant.id);
}

/** Ids begin with their time: grants of the same minute share the first eight digits. */
export async function grantsBeginning(digits: string, limit: number, store: Store): Promise<Grant[]> {
  const found = await store.page(grants, { ...justBefore(digits), limit });
  return found.filter(({ id }) => id.startsWith(digits));
}

/** Pages begin after a key: the one before the lowest id with these first digits. */
function justBefore(digits: string): { after?: string } {
  const lowest = BigInt(`0x${digits.padEnd(DIGITS, '0')}`);
  return lowest === 0n ? {} : { after: (lowest - 1n).toString(16).padStart(DIGITS, '0') };
}

export type ShownGrant = ReturnType<typeof shownGrant>;

/** Grants with the user names of their holders. */
export async function shownGrants(
  { grants: found, now }: FoundGrants,
  { store }: StorePort,
): Promise<readonly ShownGrant[]> {
  const holders = found.map(({ identityId }) => identityId);
  const names = await userNames(holders, { store });
  return found.map((grant) => shownGrant(grant, now, names.get(grant.identityId)));
}

/** Of those that have one, by id. */
export async function userNames(
  ids: readonly (string | undefined)[],
  { store }: StorePort,
): Promise<ReadonlyMap<string | undefined, string>> {
  const found = await identitiesWith(ids, store);
  return new Map(found.flatMap(({ id, userName }) => (userName === undefined ? [] : [[id, userName]])));
}

export async function disabledIdentities(ids: readonly string[], { store }: StorePort): Promise<ReadonlySet<string>> {
  const found = await identitiesWith(ids, store);
  return new Set(found.flatMap(({ id, enabled }) => (enabled ? [] : [id])));
}

async function identitiesWith(ids: readonly (string | undefined)[], store: StorePort['store']): Promise<Identity[]> {
  const wanted = [...new Set(ids)].filter((id) => id !== undefined && id !== '') as string[];
  const loaded = await Promise.all(wanted.map((id) => store.load(identities, id)));
  return loaded.flatMap(({ found }) => (found ? [found.row] : []));
}

/** One grant, ended or not, as long as it has not been swept. */
export async function showGrant(text: string, { store }: StorePort): Acted<ShownGrant> {
  const id = await findGrantId(text, { store });
  if (!id.ok) return id;
  const { found, now } = await store.load(grants, id.value);
  return found ? accept(shownGrant(found.row, now, found.companion?.userName)) : decline('grant-unknown', text);
}

/** A grant as operators see it: everything except hashes and the nonce. */
export function shownGrant(grant: Grant, now: EpochSeconds, userName: string | undefined) {
  const { id, clientId, identityId, scope, resource, origin, createdAt, refreshUntil, refreshable } = grant;
  const { pair, revoked, terms } = grant;
  return {
    id,
    state: grantState(grant, now),
    ...(isUnused(grant, now) && { unused: true }),
    clientId,
    identityId,
    ...(userName !== undefined && { userName }),
    scope,
    ...(resource && { resource: resource.join(' ') }),
    origin: origin.kind,
    ...(origin.kind === 'code' && origin.guest && { guest: origin.guest }),
    ...(origin.kind === 'assertion' && { tokenIssuer: origin.assertion.tokenIssuer }),
    ...(origin.kind === 'certificate' && {
      certificate: origin.certificate.certificate,
      certificateKey: origin.certificate.key,
    }),
    ...((origin.kind === 'client' || origin.kind === 'code') && origin.proof && { proof: origin.proof }),
    ...(terms?.parent && { parent: terms.parent.grantId }),
    ...(terms?.actor && { exchangedBy: terms.actor.clientId }),
    ...(terms?.jkt !== undefined && { boundToKey: terms.jkt }),
    createdAt: isoTime(createdAt),
    refreshUntil: isoTime(refreshUntil),
    refreshable,
    generation: pair.generation,
    keyId: pair.keyId,
    lastIssuedAt: isoTime(pair.issuedAt),
    accessTokenExpiresAt: isoTime(pair.expiresAt),
    lastAddress: pair.presenter.address,
    lastAgent: pair.presenter.agent,
    ...(revoked && { revokedAt: isoTime(revoked.at), revokedFor: revoked.reason }),
  };
}
