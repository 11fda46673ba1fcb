// The built-in directory: identities `local:{guid}` in the store, passwords as argon2id.
import { type Algorithm, hash, verify } from '@node-rs/argon2';
import type { Identity } from '../core/identity.ts';
import type { Directory } from '../operations/ports.ts';
import type { Store } from '../store/store.ts';
import { identities } from '../store/tables/identities.ts';
import { passwords } from '../store/tables/sign-in.ts';
import type { Secret } from '../tokens/secret.ts';

const LABEL = 'local';

// OWASP's first choice: 19 MiB, two passes. It runs on a thread of its own, about 40 ms.
const ARGON2: Parameters<typeof hash>[1] = {
  algorithm: 2 as Algorithm.Argon2id, // a const enum, which type stripping leaves no value of
  memoryCost: 19_456,
  timeCost: 2,
  parallelism: 1,
};

export function hashPassword(password: Secret): Promise<string> {
  return hash(password.reveal(), ARGON2);
}

/** The id of a new local identity. */
export function localIdentityId(guid: string): string {
  return `${LABEL}:{${guid}}`;
}

/** `check` is argon2's own, unless someone wants to count. */
export async function localDirectory(store: Store, check: typeof verify = verify): Promise<Directory> {
  // What a name that does not exist is verified against, so that it takes as long as one that does.
  const nobody = await hash('nobody', ARGON2);

  const lookUp = async (column: string, name: string): Promise<readonly Identity[]> => {
    const found = await store.find(identities, column, name);
    // Identities of other directories and derived ones share the table: their names are none of ours. The brace tells
    // ours from one that an issuer labelled `local` derived.
    return found.filter(({ id }) => id.startsWith(`${LABEL}:{`));
  };

  return {
    byUserName: (name) => lookUp('user_name', name),
    byEmail: (address) => lookUp('email', address),
    byUpn: (name) => lookUp('upn', name),
    bySignIn: async (name, password) => {
      const [identity, ...others] = await lookUp('user_name', name);
      const known = identity && others.length === 0 ? (await store.load(passwords, identity.id)).found : undefined;
      const isRight = await check(known?.row.phc ?? nobody, password.reveal());
      return isRight && known ? identity : undefined;
    },
  };
}
