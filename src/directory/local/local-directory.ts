// The built-in directory: identities `local:{guid}` in the store, passwords as argon2id.
import { availableParallelism } from 'node:os';
import { foldCase, type Identity, isKnown, isLocal, LOCAL, labelOf, localIdentityId } from '../../core/identity.ts';
import type { Store } from '../../store/store.ts';
import type { Where } from '../../store/table.ts';
import { byEmail, byUpn, byUserName, identities } from '../../store/tables/identities.ts';
import type { Directory, Lookup, PasswordSignIn, SignedIn } from '../directory.ts';
import { Turns } from '../turns.ts';
import { changePassword, isPassword, loadHash, markOf, NOBODYS_HASH } from './passwords.ts';

/** No identity has this id. */
const NOBODY = localIdentityId('00000000-0000-0000-0000-000000000000');

/** `check`: argon2's own; tests replace it. */
export function localDirectory(store: Store, check: typeof isPassword = isPassword): Directory {
  const lookups = storedLookups(store, isLocal);
  return { label: LOCAL, ...lookups, passwords: passwordSignIn(store, lookups.byUserName, check) };
}

/** The table holds identities of all directories, and derived ones. */
function storedLookups(store: Store, isMeant: (row: Identity) => boolean): Pick<Directory, Lookup> {
  const lookUp = async (where: Where) => (await store.find(identities, where)).filter(isMeant);
  return {
    byUserName: (name) => lookUp(byUserName(name)),
    byEmail: (address) => lookUp(byEmail(address)),
    byUpn: (name) => lookUp(byUpn(name)),
  };
}

/** Of a directory that pushes its people. Their user names are stored in lower case. */
export function pushedLookups(store: Store, label: string): Pick<Directory, Lookup> {
  const lookups = storedLookups(store, (row) => isKnown(row) && labelOf(row) === label);
  return { ...lookups, byUserName: (name) => lookups.byUserName(foldCase(name)) };
}

/** A check takes a thread for 20 to 40 ms and 19 MiB. Node has four, and the store syncs its commits on them: with all busy, refreshes took 0.7 s. */
const AT_ONCE = availableParallelism() > 2 ? 2 : 1;
/** More would keep people waiting for more than a second. */
const MOST_WAITING = 32;

/** People whose browsers are known do not wait for others. */
function passwordSignIn(store: Store, find: Directory['byUserName'], compare: typeof isPassword): PasswordSignIn {
  const turns = new Turns(AT_ONCE, MOST_WAITING);
  return {
    isBusy: (isKnown) => turns.isFull(isKnown),
    check: async (name, password, isKnown) => {
      const [identity, ...others] = await find(name);
      const only = others.length === 0 ? identity : undefined;
      // A name that does not exist costs the same work: one load and one check.
      const phc = await loadHash(only?.id ?? NOBODY, store);
      const isRight = await turns.run(() => compare(password, phc ?? NOBODYS_HASH), isKnown);
      return isRight && only && phc ? signedIn(only, phc, store) : undefined;
    },
    holderOf: async (name) => {
      const [identity, ...others] = await find(name);
      const phc = identity && others.length === 0 ? await loadHash(identity.id, store) : undefined;
      return identity && phc !== undefined ? { id: identity.id, passwordMark: markOf(phc) } : undefined;
    },
  };
}

/** Every hash has its own salt, so an unchanged hash is an unchanged password. */
function signedIn(identity: Identity, phc: string, store: Store): SignedIn {
  return {
    identity,
    passwordMark: markOf(phc),
    stillHolds: async () => (await loadHash(identity.id, store)) === phc,
    changePassword: (next) => changePassword(identity.id, { before: phc, next }, store),
  };
}
