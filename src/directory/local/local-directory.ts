// The built-in directory: identities `local:{guid}` in the store, passwords as argon2id.
import { type Identity, isLocal, LOCAL, localIdentityId } from '../../core/identity.ts';
import type { Store } from '../../store/store.ts';
import type { Where } from '../../store/table.ts';
import { byEmail, byUpn, byUserName, identities } from '../../store/tables/identities.ts';
import type { Directory, PasswordSignIn, SignedIn } from '../directory.ts';
import { isPassword, NOBODYS_HASH } from './password-hash.ts';
import { PasswordQueue } from './password-queue.ts';
import { LOCAL_PASSWORD_RULES } from './password-rules.ts';
import { changePassword, loadHash, markOf } from './passwords.ts';

/** No identity has this id. */
const NOBODY = localIdentityId('00000000-0000-0000-0000-000000000000');

/** `check`: argon2's own; tests replace it. */
export function localDirectory(store: Store, check: typeof isPassword = isPassword): Directory {
  const lookUp = async (where: Where): Promise<readonly Identity[]> => {
    // The table also holds derived identities and those of other directories.
    return (await store.find(identities, where)).filter(isLocal);
  };
  return {
    label: LOCAL,
    byUserName: (name) => lookUp(byUserName(name)),
    byEmail: (address) => lookUp(byEmail(address)),
    byUpn: (name) => lookUp(byUpn(name)),
    passwords: passwordSignIn(store, (name) => lookUp(byUserName(name)), new PasswordQueue(check)),
    passwordRules: (identity) => (isLocal(identity) ? LOCAL_PASSWORD_RULES : undefined),
  };
}

function passwordSignIn(store: Store, find: Directory['byUserName'], queue: PasswordQueue): PasswordSignIn {
  return {
    isBusy: (isKnown) => queue.isFullFor(isKnown),
    check: async (name, password, isKnown) => {
      const [identity, ...others] = await find(name);
      const only = others.length === 0 ? identity : undefined;
      // A name that does not exist costs the same work: one load and one check.
      const phc = await loadHash(only?.id ?? NOBODY, store);
      const isRight = await queue.check(password, phc ?? NOBODYS_HASH, isKnown);
      return isRight && only && phc ? signedIn(only, phc, store) : undefined;
    },
    markOf: async (name) => {
      const [identity, ...others] = await find(name);
      const phc = identity && others.length === 0 ? await loadHash(identity.id, store) : undefined;
      return phc === undefined ? undefined : markOf(phc);
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
