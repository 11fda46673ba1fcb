// How registered things end: the one place for the acts themselves, and for restores and rollbacks that must repeat them.
import type { EndingDeedOf, EndingKind } from '../act.ts';
import { type Identity, isLocal } from '../identity.ts';
import { type Integration, keyMarks, withoutKeys } from '../integration.ts';
import type { ApprovedIssuer } from '../issuer.ts';
import type { Passkeys } from '../passkey.ts';
import { type ResourceServer, type SecretMark, secretMark } from '../resource-server.ts';
import type { KeyMark, PublishedKey } from '../signing-key.ts';
import type { EpochSeconds } from '../time.ts';
import type { TokenIssuer } from '../token-issuer.ts';

/** The row of each kind of thing that can end. */
export interface RowOf {
  identity: Identity;
  passkey: Passkeys;
  integration: Integration;
  issuer: ApprovedIssuer;
  'token-issuer': TokenIssuer;
  'resource-server': ResourceServer;
  'signing-key': PublishedKey;
  key: KeyMark;
}

type Ends<K extends EndingKind, Deed> = (row: RowOf[K], deed: Deed, at: EpochSeconds) => RowOf[K];

type EndingRules = {
  readonly [K in EndingKind]: {
    readonly [D in EndingDeedOf<K>['did']]: Ends<K, Extract<EndingDeedOf<K>, { readonly did: D }>>;
  };
};

const ENDINGS: EndingRules = {
  identity: {
    disabled: disabledIdentity,
    // A row with its id stays, since ended grants and events name it. Its names are free for others.
    removed: ({ id }) => ({ id, enabled: false, mayUseApi: false, groups: [] }),
  },
  passkey: { removed: (row, { ended }) => ({ ...row, keys: row.keys.filter(({ id }) => !ended.includes(id)) }) },
  integration: {
    // Also of keys that are gone because the store was put back: without them, nobody authenticates.
    'key-removed': (row, { ended }) => ({ ...withoutKeys(row, ended), confidential: true }),
    'secret-dropped': ({ secrets, ...row }, deed) => (secrets ? withoutSecrets({ ...row, secrets }, deed) : row),
    disabled: (row) => ({ ...row, enabled: false }),
    // A client id that is registered again begins without keys and secrets.
    removed: (row) => {
      const { keys: _, secrets: __, ...rest } = row;
      return { ...rest, enabled: false, removed: true };
    },
  },
  issuer: { withdrawn: (row) => ({ ...row, enabled: false }) },
  'token-issuer': { removed: (row) => ({ ...row, enabled: false }) },
  'resource-server': {
    disabled: (row) => ({ ...row, enabled: false }),
    'secrets-replaced': withoutSecrets,
    'secret-dropped': withoutSecrets,
    removed: ({ id, audience, name, resources }) => ({
      id,
      audience,
      name,
      resources,
      enabled: false,
      secrets: [],
      removed: true,
    }),
  },
  'signing-key': { removed: (row, _, at) => ({ ...row, removedAt: row.removedAt ?? at }) },
  key: { retired: (row) => ({ ...row, retired: true }) },
};

/** By an operator: its directory does not enable it again. */
function disabledIdentity(identity: Identity): Identity {
  const { endedAt: _, ...row } = identity;
  return { ...row, enabled: false };
}

function withoutSecrets<Row extends { readonly secrets: readonly SecretMark[] }>(
  row: Row,
  { ended }: { readonly ended: readonly string[] },
): Row {
  return { ...row, secrets: row.secrets.filter((secret) => !ended.includes(secretMark(secret))) };
}

/** The row after an act that ends the thing, or a secret of it. */
export function endedBy<K extends EndingKind>(
  kind: K,
  row: RowOf[K],
  deed: EndingDeedOf<K>,
  at: EpochSeconds,
): RowOf[K] {
  const rules: Readonly<Record<string, Ends<K, never>>> = ENDINGS[kind];
  const ends = rules[deed.did];
  if (!ends) throw new Error(`${deed.did} does not end the kind ${kind}`);
  return ends(row, deed as never, at);
}

/** Whether an act is undone in this row: the thing works, or the secret. */
export function isUndone<K extends EndingKind>(
  kind: K,
  row: RowOf[K],
  deed: EndingDeedOf<K>,
  at: EpochSeconds,
): boolean {
  const [was, is] = [row, endedBy(kind, row, deed, at)] as unknown as Readonly<Record<string, unknown>>[];
  const names = [...Object.keys(was ?? {}), ...Object.keys(is ?? {})];
  return names.some((name) => JSON.stringify(was?.[name]) !== JSON.stringify(is?.[name]));
}

type EndsBetween = {
  readonly [K in EndingKind]: (newer: RowOf[K], older: RowOf[K]) => readonly EndingDeedOf<K>[];
};

/** The acts that have ended what works in an older row, as a newer row of the same thing shows them. */
const ENDS_BETWEEN: EndsBetween = {
  identity: (newer, { userName = '' }) =>
    newer.enabled ? [] : [isRemoved(newer) ? { did: 'removed', userName } : { did: 'disabled' }],
  passkey: (newer, older) => {
    const gone = older.keys.filter(({ id }) => !newer.keys.some((key) => key.id === id));
    return [{ did: 'removed', ended: gone.map(({ id }) => id), names: gone.map(({ name }) => name) }];
  },
  integration: ({ enabled, removed, confidential, keys, secrets = [] }, older) => {
    if (removed) return [{ did: 'removed' }];
    const kept = [...keyMarks(keys), ...secrets.map(secretMark)];
    const isGone = (mark: string) => !kept.includes(mark);
    const goneKeys = keyMarks(older.keys).filter(isGone);
    return [
      ...(confidential || goneKeys.length > 0 ? [{ did: 'key-removed', ended: goneKeys } as const] : []),
      { did: 'secret-dropped', ended: (older.secrets ?? []).map(secretMark).filter(isGone) },
      ...(enabled ? [] : [{ did: 'disabled' } as const]),
    ];
  },
  issuer: ({ enabled }) => (enabled ? [] : [{ did: 'withdrawn' }]),
  // The label may have been given to another platform.
  'token-issuer': ({ enabled, issuer }, older) => (enabled && issuer === older.issuer ? [] : [{ did: 'removed' }]),
  'resource-server': ({ removed, enabled, secrets }, older) => {
    if (removed) return [{ did: 'removed' }];
    const kept = secrets.map(secretMark);
    const ended = older.secrets.map(secretMark).filter((mark) => !kept.includes(mark));
    return [{ did: 'secret-dropped', ended }, ...(enabled ? [] : [{ did: 'disabled', changed: {} } as const])];
  },
  'signing-key': ({ removedAt }) => (removedAt === undefined ? [] : [{ did: 'removed' }]),
  key: ({ retired }) => (retired ? [{ did: 'retired' }] : []),
};

export function endsBetween<K extends EndingKind>(
  kind: K,
  newer: RowOf[K],
  older: RowOf[K],
  at: EpochSeconds,
): readonly EndingDeedOf<K>[] {
  return ENDS_BETWEEN[kind](newer, older).filter((deed) => isUndone(kind, older, deed, at));
}

/** Whether an identity of the local directory was removed: all others have a user name. */
export function isRemoved(identity: Identity): boolean {
  return isLocal(identity) && identity.userName === undefined;
}
