// What operators, and the service itself, do to registered things: closed types and one table. The event log, the revocation
// feed, restores and rollbacks derive from it, so that a new act or kind does not compile until each of them knows it.

import type { IdentityId } from './identity.ts';
import type { Proof } from './person.ts';

type None = object;

/** Field by field. Events of 0.1 and 0.2 name the fields only. */
export interface Changed {
  readonly changed: Readonly<Record<string, { readonly before?: Fact; readonly after?: Fact }>>;
}

/** What can be printed: never a secret. */
export type Fact = string | number | boolean | null | readonly Fact[] | { readonly [name: string]: Fact };

/** The acts of each kind, with their facts. */
export interface FactsOf {
  identity: {
    added: { readonly userName: string };
    /** From what a certificate or an assertion says, on first use. */
    derived: { readonly source: string };
    changed: Changed;
    'password-set': None;
    enabled: None;
    disabled: None;
    removed: { readonly userName: string };
  };
  /** Of the identity with this id. `ended`: the ids of passkeys that sign nobody in any longer. */
  passkey: {
    added: { readonly key: string; readonly name: string };
    /** Refused: its counter went back, so another authenticator may have a copy. */
    copied: { readonly key: string; readonly name: string };
    /** To add one that is a strong proof. */
    invited: { readonly until: number };
    removed: { readonly ended: readonly string[]; readonly names: readonly string[] };
  };
  integration: {
    registered: { readonly scope: string };
    /** `accessChanged`: others may use it than before. */
    changed: Changed & { readonly accessChanged?: true };
    'key-added': { readonly key: string };
    /** `ended`: the keys that it may use no longer. */
    'key-removed': { readonly ended: readonly string[] };
    'secret-made': { readonly until: number };
    'secret-dropped': { readonly ended: readonly string[] };
    enabled: None;
    disabled: None;
    removed: None;
  };
  issuer: { approved: { readonly fingerprint: string }; changed: Changed; withdrawn: None };
  'token-issuer': { added: { readonly issuer: string; readonly rules: number }; changed: Changed; removed: None };
  'resource-server': {
    registered: { readonly audience: string; readonly resources: string };
    changed: Changed;
    enabled: Changed;
    disabled: Changed;
    'secret-made': None;
    /** `ended`: the marks of the secrets that work no longer. */
    'secrets-replaced': { readonly ended: readonly string[] };
    'secret-dropped': { readonly ended: readonly string[] };
    removed: None;
  };
  'signing-key': { added: { readonly state: 'published' | 'signing' }; signs: None; removed: None };
  /** A key of the keyring that tags opaque tokens. `before`: the key that stopped minting. */
  key: { added: None; minting: { readonly before?: number }; retired: None };
  /** A directory outside of the store. `alarm`: too many accounts seemed to have ended there, so none was ended here. */
  directory: {
    away: { readonly why: string };
    alarm: { readonly living: number; readonly ended: number };
    'endings-accepted': { readonly ended: number };
  };
  store: {
    'rollback-accepted': { readonly epoch: number; readonly seen: number; readonly found: number };
    'clock-accepted': None;
    'taken-back': None;
  };
  /** Of a release that knows more acts than this one, read during an upgrade. */
  unknown: { done: { readonly words: string } };
}

export type Kind = keyof FactsOf;
type Did<K extends Kind> = keyof FactsOf[K] & string;

/** An act without the thing that it was done to. */
export type DeedOf<K extends Kind> = K extends Kind
  ? { [D in Did<K>]: { readonly did: D } & FactsOf[K][D] }[Did<K>]
  : never;
export type ActOf<K extends Kind> = DeedOf<K> & { readonly kind: K; readonly id: string };
export type Act = { [K in Kind]: ActOf<K> }[Kind];

/** What an act leaves behind: a thing that works, one that differs, or one (or a secret of it) that works no longer. */
type Life = 'opens' | 'changes' | 'ends';
/** Whether followers of the feed must learn the state that an act leaves behind: it may concern issued tokens. */
type News = 'news' | 'no-news';
type KindWithNews = 'identity' | 'integration' | 'resource-server' | 'signing-key' | 'unknown';

interface KindRow<K extends Kind> {
  readonly one: string;
  /** Of things that can end. */
  readonly many?: string;
  readonly acts: { readonly [D in Did<K>]: readonly [Life, K extends KindWithNews ? News : 'no-news'] };
}

export const KINDS = {
  identity: {
    one: 'identity',
    many: 'identities',
    acts: {
      added: ['opens', 'no-news'],
      derived: ['opens', 'no-news'],
      changed: ['changes', 'news'],
      'password-set': ['changes', 'no-news'],
      enabled: ['opens', 'news'],
      disabled: ['ends', 'news'],
      removed: ['ends', 'news'],
    },
  },
  passkey: {
    one: 'passkey',
    many: 'passkeys',
    acts: {
      added: ['changes', 'no-news'],
      copied: ['changes', 'no-news'],
      invited: ['changes', 'no-news'],
      removed: ['ends', 'no-news'],
    },
  },
  integration: {
    one: 'integration',
    many: 'integrations',
    acts: {
      registered: ['opens', 'news'],
      changed: ['changes', 'news'],
      'key-added': ['changes', 'no-news'],
      'key-removed': ['ends', 'no-news'],
      'secret-made': ['changes', 'no-news'],
      'secret-dropped': ['ends', 'no-news'],
      enabled: ['opens', 'news'],
      disabled: ['ends', 'news'],
      removed: ['ends', 'news'],
    },
  },
  issuer: {
    one: 'issuer',
    many: 'issuers',
    acts: { approved: ['opens', 'no-news'], changed: ['changes', 'no-news'], withdrawn: ['ends', 'no-news'] },
  },
  'token-issuer': {
    one: 'token issuer',
    many: 'token issuers',
    acts: { added: ['opens', 'no-news'], changed: ['changes', 'no-news'], removed: ['ends', 'no-news'] },
  },
  'resource-server': {
    one: 'resource server',
    many: 'resource servers',
    acts: {
      registered: ['opens', 'news'],
      changed: ['changes', 'news'],
      enabled: ['opens', 'news'],
      disabled: ['ends', 'news'],
      'secret-made': ['changes', 'news'],
      'secrets-replaced': ['ends', 'news'],
      'secret-dropped': ['ends', 'news'],
      removed: ['ends', 'news'],
    },
  },
  'signing-key': {
    one: 'signing key',
    many: 'signing keys',
    acts: { added: ['opens', 'no-news'], signs: ['changes', 'no-news'], removed: ['ends', 'news'] },
  },
  key: {
    one: 'key',
    many: 'keys',
    acts: { added: ['opens', 'no-news'], minting: ['opens', 'no-news'], retired: ['ends', 'no-news'] },
  },
  directory: {
    one: 'directory',
    acts: {
      away: ['changes', 'no-news'],
      alarm: ['changes', 'no-news'],
      'endings-accepted': ['changes', 'no-news'],
    },
  },
  store: {
    one: 'store',
    acts: {
      'rollback-accepted': ['changes', 'no-news'],
      'clock-accepted': ['changes', 'no-news'],
      'taken-back': ['changes', 'no-news'],
    },
  },
  unknown: { one: 'unknown thing', acts: { done: ['changes', 'news'] } },
} as const satisfies { readonly [K in Kind]: KindRow<K> };

/** The acts of a kind after which the thing, or a secret of it, works no longer. */
export type Ending<K extends Kind> = {
  [D in Did<K>]: D extends keyof (typeof KINDS)[K]['acts']
    ? (typeof KINDS)[K]['acts'][D] extends readonly ['ends', News]
      ? D
      : never
    : never;
}[Did<K>];
/** Kinds of things that can end. */
export type EndingKind = { [K in Kind]: [Ending<K>] extends [never] ? never : K }[Kind];
export type EndingDeedOf<K extends EndingKind> = K extends Kind
  ? Extract<DeedOf<K>, { readonly did: Ending<K> }>
  : never;
export type EndingOf<K extends EndingKind> = EndingDeedOf<K> & { readonly kind: K; readonly id: string };
export type EndingAct = { [K in EndingKind]: EndingOf<K> }[EndingKind];

export function lifeOf(act: Act): Life {
  return effectOf(act)[0];
}

export function isEnding(act: Act): act is EndingAct {
  return lifeOf(act) === 'ends';
}

export function isNews(act: Act): boolean {
  return effectOf(act)[1] === 'news';
}

function effectOf({ kind, did }: Act): readonly [Life, News] {
  const { acts }: { readonly acts: Readonly<Record<string, readonly [Life, News]>> } = KINDS[kind];
  return acts[did] ?? ['changes', 'news'];
}

/** For people, such as `integration disabled`. */
export function actWords(act: Act): string {
  return `${KINDS[act.kind].one} ${act.kind === 'unknown' ? act.words : act.did.replaceAll('-', ' ')}`;
}

/** Who did it. */
export type Author =
  | {
      readonly as: 'identity';
      readonly id: IdentityId;
      readonly proof: 'token' | Proof['by'];
    }
  | { readonly as: 'command'; readonly user?: string }
  | { readonly as: 'service'; readonly why: ServiceReason };

export const SERVICE_REASONS = ['start', 'first-use', 'quickstart', 'rollback', 'directory', 'sign-in'] as const;
export type ServiceReason = (typeof SERVICE_REASONS)[number];

export function authorWords(author: Author): string {
  switch (author.as) {
    case 'identity':
      return `${author.id} by ${author.proof}`;
    case 'command':
      return ['command', author.user].filter(Boolean).join(' ');
    case 'service':
      return `service, ${author.why}`;
  }
}
