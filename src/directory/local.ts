// The built-in directory: identities `local:{guid}` in the store, passwords as argon2id.
import { type Identity, isLocal, localIdentityId } from '../core/identity.ts';
import { Overloaded } from '../operations/overloaded.ts';
import type { Directory } from '../operations/ports.ts';
import type { Store } from '../store/store.ts';
import type { Where } from '../store/table.ts';
import { byEmail, byUpn, byUserName, identities } from '../store/tables/identities.ts';
import { passwords } from '../store/tables/sign-in.ts';
import { isPassword, NOBODYS_HASH } from '../tokens/password.ts';
import type { Secret } from '../tokens/secret.ts';

/** Hashing takes a thread for 40 ms and 19 MiB: more at once would wait longer than people do, and starve everything else. */
const MOST_WAITING = 32;

/** No identity has this id. */
const NOBODY = localIdentityId('00000000-0000-0000-0000-000000000000');

/** `check` is argon2's own, unless someone wants to count. */
export function localDirectory(store: Store, check: typeof isPassword = isPassword): Directory {
  let waiting = 0;
  const checkInTurn = async (password: Secret, phc: string): Promise<boolean> => {
    if (waiting >= MOST_WAITING) throw new Overloaded('too many sign-ins at once');
    waiting += 1;
    try {
      return await check(password, phc);
    } finally {
      waiting -= 1;
    }
  };

  const lookUp = async (where: Where): Promise<readonly Identity[]> => {
    // Identities of other directories and derived ones share the table: their names are none of ours.
    return (await store.find(identities, where)).filter(isLocal);
  };

  return {
    byUserName: (name) => lookUp(byUserName(name)),
    byEmail: (address) => lookUp(byEmail(address)),
    byUpn: (name) => lookUp(byUpn(name)),
    bySignIn: async (name, password) => {
      const [identity, ...others] = await lookUp(byUserName(name));
      const only = others.length === 0 ? identity : undefined;
      // The same work for a name that does not exist: a password is looked up and checked.
      const passwordMark = (await store.load(passwords, only?.id ?? NOBODY)).found?.row.phc;
      const isRight = await checkInTurn(password, passwordMark ?? NOBODYS_HASH);
      return isRight && only && passwordMark ? { identity: only, passwordMark } : undefined;
    },
  };
}
