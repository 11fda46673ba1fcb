// Several directories, chosen by label.
import { DirectoryAway, FailedAfterCheck } from '../core/faults.ts';
import { type Identity, labelOf } from '../core/identity.ts';
import { isDue, isTrusted, type RecheckTimes } from '../core/rules/directory.ts';
import { type EpochSeconds, seconds } from '../core/time.ts';
import { Secret } from '../tokens/secret.ts';
import type { Directory, Elsewhere, PasswordSignIn, ProviderSignIn } from './directory.ts';

export interface Directories {
  /** Throws DirectoryAway if this node has no such directory: another node may have it. */
  readonly get: (label: string) => Directory;
  readonly passwords: PasswordSignIn;
  readonly providers: readonly { readonly label: string; readonly provider: ProviderSignIn }[];
  /** Whether its directory must be asked again before this row is used. */
  readonly isDue: (identity: Identity, now: EpochSeconds) => boolean;
  /** Whether this row may be used although its directory cannot answer. */
  readonly isTrusted: (identity: Identity, now: EpochSeconds) => boolean;
  /** What its directory says now; undefined if it has no such entry. Callers at the same time share one query. */
  readonly current: (identity: Identity) => Promise<Identity | undefined>;
  readonly elsewhere: readonly (Directory & { readonly elsewhere: Elsewhere })[];
}

/** For identities whose directory is no longer configured. */
const USUAL: RecheckTimes = { recheckAfter: seconds(300), trustFor: seconds(86_400) };

/** `local` comes first: no password for a name that it knows is ever checked elsewhere. */
export function sideBySide(local: Directory, others: readonly Directory[] = []): Directories {
  const byLabel = new Map([local, ...others].map((directory) => [directory.label, directory]));
  const withPasswords = others.filter(({ provider }) => !provider);
  const asked = new Map<string, Promise<Identity | undefined>>();
  const get = (label: string) => {
    const directory = byLabel.get(label);
    if (!directory) throw new DirectoryAway(`no directory ${label} is configured`);
    return directory;
  };
  const timesOf = (identity: Identity) => byLabel.get(labelOf(identity))?.elsewhere?.times ?? USUAL;
  const ask = async (identity: Identity) => get(labelOf(identity)).elsewhere?.again(identity);
  return {
    get,
    passwords: withPasswords.length === 0 ? local.passwords : passwordsOf(local, withPasswords),
    providers: others.flatMap(({ label, provider }) => (provider ? [{ label, provider }] : [])),
    isDue: (identity, now) => identity.seenAt !== undefined && isDue(identity, timesOf(identity), now),
    isTrusted: (identity, now) => isTrusted(identity, timesOf(identity), now),
    current: (identity) => {
      const known = asked.get(identity.id);
      if (known) return known;
      const answer = ask(identity).finally(() => asked.delete(identity.id));
      asked.set(identity.id, answer);
      return answer;
    },
    elsewhere: others.flatMap((directory) =>
      directory.elsewhere ? [{ ...directory, elsewhere: directory.elsewhere }] : [],
    ),
  };
}

/** It opens nothing, for the same work. */
const NO_PASSWORD = new Secret('');

function passwordsOf(local: Directory, others: readonly Directory[]): PasswordSignIn {
  const hasName = async (name: string) => (await local.byUserName(name)).length > 0;
  return {
    isBusy: (isKnown) => local.passwords.isBusy(isKnown),
    check: async (name, password, isKnown) => {
      const isHere = await hasName(name);
      // Every name costs one check here and one there. No password of a local name leaves this service.
      const here = local.passwords.check(name, password, isKnown);
      const there = onlyHolder(name, others).then((holder) =>
        holder.check(name, isHere ? NO_PASSWORD : password, isKnown),
      );
      const both = Promise.allSettled([here, there]);
      const signedIn = await (isHere ? here : there).catch(() => undefined);
      if (signedIn?.identity.enabled) return signedIn;
      const failed = (await both).find((each) => each.status === 'rejected');
      if (!failed) return signedIn;
      const [checkedHere, checkedThere] = await both;
      const isChecked = (isHere ? checkedHere : checkedThere).status === 'fulfilled';
      throw isChecked ? new FailedAfterCheck(failed.reason) : failed.reason;
    },
    holderOf: async (name) => {
      const holder = await local.passwords.holderOf(name);
      if (holder || (await hasName(name))) return holder;
      // While it is away, its people have unknown browsers, whose limits are the tighter ones.
      return onlyHolder(name, others)
        .then((passwords) => passwords.holderOf(name))
        .catch(() => undefined);
    },
  };
}

/** The only directory with this name, of those that answer. A password is sent to one directory at most. */
async function onlyHolder(name: string, others: readonly Directory[]): Promise<PasswordSignIn> {
  const [first] = others;
  if (others.length === 1 && first) return first.passwords;
  const found = await Promise.allSettled(others.map(({ passwords }) => passwords.holderOf(name)));
  const holders = others.filter((_, place) => {
    const answer = found[place];
    return answer?.status === 'fulfilled' && answer.value !== undefined;
  });
  if (holders.length > 1 && first) return withoutPasswords(first.passwords);
  if (holders[0]) return holders[0].passwords;
  const away = found.find((answer) => answer.status === 'rejected');
  if (away) throw away.reason;
  return first?.passwords ?? NOBODYS;
}

/** For a name that two directories have: the work of one, for nobody. */
function withoutPasswords(passwords: PasswordSignIn): PasswordSignIn {
  const check: PasswordSignIn['check'] = (name, _, isKnown) => passwords.check(name, NO_PASSWORD, isKnown);
  return { ...passwords, check, holderOf: nothing };
}

/** For a directory without passwords. */
const nothing = async () => undefined;
export const NOBODYS: PasswordSignIn = { isBusy: () => false, check: nothing, holderOf: nothing };
