// What operators, and the service itself, do to registered things: closed types and one table. The event log, the revocation
// feed, restores and rollbacks derive from it, so that a new act or kind does not compile until each of them knows it.

import type { IdentityId } from './identity.ts';
import type { Proof } from './person.ts';

/** Field by field. */
export interface Changed {
  readonly changed: Readonly<Record<string, { readonly before?: Fact; readonly after?: Fact }>>;
}

interface Ended {
  readonly ended: readonly string[];
}

/** What can be printed: never a secret. */
export type Fact = string | number | boolean | null | readonly Fact[] | { readonly [name: string]: Fact };

/** What an act leaves behind: a thing that works, one that differs, or one (or a secret of it) that works no longer. */
type Life = 'opens' | 'changes' | 'ends';
/** Whether followers of the feed must learn the state that an act leaves behind: it may concern issued tokens. */
type News = 'news' | 'no-news';

/** `facts`: what the event says besides. Only their type is here. */
type ActRow<Facts, L extends Life = Life> = readonly [L, News] & { readonly facts?: Facts };

function row<L extends Life>(life: L, news: News = 'no-news') {
  return <Facts = object>() => [life, news] as unknown as ActRow<Facts, L>;
}

const [opens, changes, ends] = [row('opens'), row('changes'), row('ends')];
const [opensAsNews, changesAsNews, endsAsNews] = [row('opens', 'news'), row('changes', 'news'), row('ends', 'news')];

export const KINDS = {
  identity: {
    added: opens<{ readonly userName: string }>(),
    /** From what a certificate or an assertion says, on first use. */
    derived: opens<{ readonly source: string }>(),
    changed: changesAsNews<Changed>(),
    'password-set': changes(),
    enabled: opensAsNews(),
    disabled: endsAsNews(),
    removed: endsAsNews<{ readonly userName: string }>(),
  },
  /** Of the identity with this id. `ended`: the ids of passkeys that sign nobody in any longer. */
  passkey: {
    added: changes<{ readonly key: string; readonly name: string }>(),
    /** Refused: its counter went back, so another authenticator may have a copy. */
    copied: changes<{ readonly key: string; readonly name: string }>(),
    /** To add one that is a strong proof. */
    invited: changes<{ readonly until: number }>(),
    removed: ends<{ readonly ended: readonly string[]; readonly names: readonly string[] }>(),
  },
  integration: {
    registered: opensAsNews<{ readonly scope: string }>(),
    /** `accessChanged`: others may use it than before. */
    changed: changesAsNews<Changed & { readonly accessChanged?: true }>(),
    'key-added': changes<{ readonly key: string }>(),
    /** `ended`: the keys that it may use no longer. */
    'key-removed': ends<Ended>(),
    'secret-made': changes<{ readonly until: number }>(),
    'secret-dropped': ends<Ended>(),
    enabled: opensAsNews(),
    disabled: endsAsNews(),
    removed: endsAsNews(),
  },
  issuer: { approved: opens<{ readonly fingerprint: string }>(), changed: changes<Changed>(), withdrawn: ends() },
  'token-issuer': {
    added: opens<{ readonly issuer: string; readonly rules: number }>(),
    changed: changes<Changed>(),
    removed: ends(),
  },
  'resource-server': {
    registered: opensAsNews<{ readonly audience: string; readonly resources: string }>(),
    changed: changesAsNews<Changed>(),
    enabled: opensAsNews<Changed>(),
    disabled: endsAsNews<Changed>(),
    'secret-made': changesAsNews(),
    /** `ended`: the marks of the secrets that work no longer. */
    'secrets-replaced': endsAsNews<Ended>(),
    'secret-dropped': endsAsNews<Ended>(),
    removed: endsAsNews(),
  },
  'signing-key': {
    added: opens<{ readonly state: 'published' | 'signing' }>(),
    signs: changes(),
    removed: endsAsNews(),
  },
  /** A key of the keyring that tags opaque tokens. `before`: the key that stopped minting. */
  key: { added: opens(), minting: opens<{ readonly before?: number }>(), retired: ends() },
  /** A directory outside of the store. `alarm`: too many accounts seemed to have ended there, so none was ended here. */
  directory: {
    away: changes<{ readonly why: string }>(),
    alarm: changes<{ readonly living: number; readonly ended: number }>(),
    'endings-accepted': changes<{ readonly ended: number }>(),
  },
  store: {
    'rollback-accepted': changes<{ readonly epoch: number; readonly seen: number; readonly found: number }>(),
    'clock-accepted': changes(),
    'taken-back': changes(),
  },
  /** Of a release that knows other acts than this one: a newer one, during an upgrade, or one before 0.3. */
  unknown: { done: changesAsNews<{ readonly words: string }>() },
} as const satisfies Readonly<Record<string, Readonly<Record<string, ActRow<object>>>>>;

export type Kind = keyof typeof KINDS;
type Acts<K extends Kind> = (typeof KINDS)[K];
type Did<K extends Kind> = keyof Acts<K> & string;

/** The acts of each kind, with their facts. */
export type FactsOf = {
  [K in Kind]: { [D in Did<K>]: Acts<K>[D] extends ActRow<infer Facts> ? Facts : never };
};

/** An act without the thing that it was done to. */
export type DeedOf<K extends Kind> = K extends Kind
  ? { [D in Did<K>]: { readonly did: D } & FactsOf[K][D] }[Did<K>]
  : never;
export type ActOf<K extends Kind> = DeedOf<K> & { readonly kind: K; readonly id: string };
export type Act = { [K in Kind]: ActOf<K> }[Kind];

/** The acts of a kind after which the thing, or a secret of it, works no longer. */
export type Ending<K extends Kind> = { [D in Did<K>]: Acts<K>[D] extends ActRow<object, 'ends'> ? D : never }[Did<K>];
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
  const acts: Readonly<Record<string, readonly [Life, News]>> = KINDS[kind];
  return acts[did] ?? ['changes', 'news'];
}

/** For people: one thing of a kind, and several. */
export const KIND_WORDS: Readonly<Record<Kind, { readonly one: string; readonly many: string }>> = {
  identity: { one: 'identity', many: 'identities' },
  passkey: { one: 'passkey', many: 'passkeys' },
  integration: { one: 'integration', many: 'integrations' },
  issuer: { one: 'issuer', many: 'issuers' },
  'token-issuer': { one: 'token issuer', many: 'token issuers' },
  'resource-server': { one: 'resource server', many: 'resource servers' },
  'signing-key': { one: 'signing key', many: 'signing keys' },
  key: { one: 'key', many: 'keys' },
  directory: { one: 'directory', many: 'directories' },
  store: { one: 'store', many: 'stores' },
  unknown: { one: 'unknown thing', many: 'unknown things' },
};

/** For people, such as `integration disabled`. */
export function actWords(act: Act): string {
  const did = act.kind === 'unknown' ? act.words : act.did.replaceAll('-', ' ');
  return `${KIND_WORDS[act.kind].one} ${act.kind === 'issuer' ? (OF_ISSUERS[did] ?? did) : did}`;
}

/** The pages and commands say this of all other things too. */
const OF_ISSUERS: Readonly<Record<string, string>> = { approved: 'registered', withdrawn: 'removed' };

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
