import { type Identity, parseIdentityId } from '../../core/identity.ts';
import { accept } from '../../core/outcome.ts';
import { rows } from '../../store/pages.ts';
import type { StorePort } from '../../store/store.ts';
import { byUserName, identities } from '../../store/tables/identities.ts';
import { type Acted, type AdminOutcome, decline } from './admin.ts';

/** Finds by id, or by user name if only one identity has it. */
export async function findIdentity(name: string, { store }: StorePort): Acted<Identity> {
  if (parseIdentityId(name)) {
    const { found } = await store.load(identities, name);
    return found ? accept(found.row) : decline('identity-unknown', name);
  }
  return onlyOne(await store.find(identities, byUserName(name)), name);
}

/** The same, for what gives something: people of directories elsewhere may choose any user name, so they are found by id alone. */
export async function findToGive(name: string, { store }: StorePort): Acted<Identity> {
  if (parseIdentityId(name)) return findIdentity(name, { store });
  const found = await store.find(identities, byUserName(name));
  const here = found.filter(({ seenAt }) => seenAt === undefined);
  return found.length > 0 && here.length === 0 ? decline('identity-elsewhere', name) : onlyOne(here, name);
}

function onlyOne([identity, ...others]: readonly Identity[], name: string): AdminOutcome<Identity> {
  if (!identity) return decline('identity-unknown', name);
  return others.length > 0 ? decline('identity-ambiguous', name) : accept(identity);
}

export type KnownIdentities = Map<string, AdminOutcome<Identity>>;

/** `findToGive`, which asks the store once for each name. */
export async function findOnce(
  name: string,
  { store, found = new Map() }: StorePort & { readonly found?: KnownIdentities },
): Acted<Identity> {
  const known = found.get(name) ?? (await findToGive(name, { store }));
  found.set(name, known);
  return known;
}

/** `local:{0a1b…` or `corp:0a1b…`, or the digits alone, at least four. */
const FIRST_DIGITS = /^(?:([A-Za-z][\w.+-]{0,63}):\{?)?([0-9a-f][0-9a-f-]{3,35})\}?$/;

/** The same, or by the first digits of an id, if no other begins with them. Reads all identities: for commands beside the store. */
export async function findIdentityByDigits(text: string, { store }: StorePort): Acted<Identity> {
  const known = await findIdentity(text, { store });
  const [, label, digits] = FIRST_DIGITS.exec(text) ?? [];
  if (known.ok || known.refusal.reason !== 'identity-unknown' || digits === undefined) return known;
  const found: Identity[] = [];
  for await (const identity of rows(store, identities)) {
    const [provider, id = ''] = identity.id.split(/:\{?/);
    if ((label === undefined || label === provider) && id.startsWith(digits)) found.push(identity);
    if (found.length > 1) return decline('identity-ambiguous', text);
  }
  return found[0] ? accept(found[0]) : known;
}

export async function hasIdentities({ store }: StorePort): Promise<boolean> {
  return (await store.page(identities, { limit: 1 })).length > 0;
}
