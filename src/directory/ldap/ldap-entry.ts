// What the attributes of an entry mean. Pure.
import { foldName, isPlainName } from '../../core/certificate.ts';
import { EntryUnreadable } from '../../core/faults.ts';
import type { Identity, IdentityId } from '../../core/identity.ts';
import type { EpochSeconds } from '../../core/time.ts';
import type { LdapEntry } from './ldap-connections.ts';

export type LdapKind = 'ldap' | 'active-directory';

export interface LdapAttributes {
  readonly userName: string;
  readonly email: string;
  /** Absent if entries have none. */
  readonly upn?: string | undefined;
}

interface KindRow {
  readonly names: LdapAttributes;
  readonly id: string;
  /** Changes with every password. */
  readonly passwordSetAt: string;
  readonly state: readonly string[];
}

export const KINDS: Readonly<Record<LdapKind, KindRow>> = {
  ldap: {
    names: { userName: 'uid', email: 'mail' },
    id: 'entryUUID',
    passwordSetAt: 'pwdChangedTime',
    state: ['nsAccountLock', 'pwdAccountLockedTime'],
  },
  'active-directory': {
    names: { userName: 'sAMAccountName', email: 'mail', upn: 'userPrincipalName' },
    id: 'objectGUID',
    passwordSetAt: 'pwdLastSet',
    state: ['userAccountControl', 'msDS-User-Account-Control-Computed', 'accountExpires'],
  },
};

/** `{guid}` of an entry. Without it nothing can be said about the entry. */
export function guidOf(entry: LdapEntry, kind: LdapKind): string {
  const guid =
    kind === 'ldap' ? entry.texts('entryUUID')[0]?.toLowerCase() : guidFromBytes(entry.bytes('objectGUID')[0]);
  if (guid === undefined || !GUID.test(guid))
    throw new EntryUnreadable(`${entry.dn} has no readable ${KINDS[kind].id}: the service account needs it`);
  return `{${guid}}`;
}

const GUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** The first three parts of an objectGUID have their bytes in reverse order (MS-DTYP 2.3.4.2). */
const GUID_ORDER = [3, 2, 1, 0, 5, 4, 7, 6, 8, 9, 10, 11, 12, 13, 14, 15];

function guidFromBytes(bytes: Buffer | undefined): string | undefined {
  if (bytes?.length !== GUID_ORDER.length) return undefined;
  const hex = Buffer.from(GUID_ORDER.map((place) => bytes[place] ?? 0)).toString('hex');
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

/** The value to search an id by: the inverse of `guidOf`. */
export function guidValue(id: IdentityId, kind: LdapKind): string | Buffer {
  const guid = id.slice(id.indexOf('{') + 1, -1);
  if (kind === 'ldap') return guid;
  const bytes = Buffer.from(guid.replaceAll('-', ''), 'hex');
  return Buffer.from(GUID_ORDER.map((place) => bytes[place] ?? 0));
}

export interface AccountState {
  /** Disabled or expired. */
  readonly hasEnded: boolean;
  /** Locked after wrong guesses, or with an expired password: it cannot sign in, but its grants stay. */
  readonly isLocked: boolean;
}

const DISABLED = 0x2;
const LOCKED_OUT = 0x10;
const PASSWORD_EXPIRED = 0x80_0000;
/** 100 ns since 1601. */
const FILE_TIME_EPOCH = 11_644_473_600;
/** Set by an administrator (draft-behera-ldap-password-policy 5.3.3); wrong guesses set the time of the last one. */
const LOCKED_FOR_EVER = '000001010000Z';

export function stateOf(entry: LdapEntry, kind: LdapKind, now: EpochSeconds): AccountState {
  if (kind === 'ldap') {
    const [lockedAt] = entry.texts('pwdAccountLockedTime');
    const isDisabled = entry.texts('nsAccountLock')[0]?.toLowerCase() === 'true';
    return { hasEnded: isDisabled || lockedAt === LOCKED_FOR_EVER, isLocked: lockedAt !== undefined };
  }
  const [control] = entry.texts('userAccountControl');
  if (control === undefined)
    throw new EntryUnreadable(`${entry.dn} has no readable userAccountControl: the service account needs it`);
  const computed = Number(entry.texts('msDS-User-Account-Control-Computed')[0] ?? 0);
  const expires = Number(entry.texts('accountExpires')[0] ?? 0) / 1e7 - FILE_TIME_EPOCH;
  // 0 and the largest number mean never.
  const isExpired = expires > 0 && expires <= now;
  return {
    hasEnded: (Number(control) & DISABLED) !== 0 || isExpired,
    isLocked: (computed & (LOCKED_OUT | PASSWORD_EXPIRED)) !== 0,
  };
}

/** The names of an entry as an identity has them. What could be mistaken for another name is left out. */
export function namesOf(entry: LdapEntry, { userName, email, upn }: LdapAttributes): Partial<Identity> {
  const first = (attribute: string | undefined) => attribute && entry.texts(attribute).find(isPlainName);
  const [name, address, principal] = [first(userName), first(email), first(upn)];
  return {
    ...(name && { userName: name }),
    ...(address && { email: foldName('email-san', address) }),
    ...(principal && { upn: foldName('upn-san', principal) }),
  };
}

/** The first value of a DN, such as `Ops` of `CN=Ops,OU=Groups,DC=example`. RFC 4514: backslashes escape. */
export function firstValueOf(dn: string): string | undefined {
  const [, value] = /^[A-Za-z0-9.-]+=((?:\\.|[^\\,+])+)(?:,|$)/s.exec(dn) ?? [];
  if (value === undefined || value.startsWith('#')) return undefined;
  const octets = value.replace(/(?:\\[0-9A-Fa-f]{2})+/g, (run) =>
    Buffer.from(run.replaceAll('\\', ''), 'hex').toString('utf8'),
  );
  return octets.replace(/\\(.)/gs, '$1');
}

export function isBelow(dn: string, base: string): boolean {
  const [inner, outer] = [dn, base].map((text) => text.toLowerCase().replace(/\s*([,=])\s*/g, '$1'));
  return inner?.endsWith(`,${outer}`) ?? false;
}
