// The passkeys of a person: register, rename and remove them, and sign in with one.
import type { Author } from '../../core/act.ts';
import { acted } from '../../core/event.ts';
import { type IdentityId, parseIdentityId } from '../../core/identity.ts';
import { accept, type PersonOutcome, refuse, refused } from '../../core/outcome.ts';
import type { Passkey, Passkeys } from '../../core/passkey.ts';
import type { Person } from '../../core/person.ts';
import { endedBy } from '../../core/rules/endings.ts';
import { decidePasskeySignIn, decideRegister } from '../../core/rules/passkey.ts';
import { type Decision, insert, rowOf } from '../../store/store.ts';
import { assertions, type UsedAssertion } from '../../store/tables/assertions.ts';
import { identities } from '../../store/tables/identities.ts';
import { passkeys } from '../../store/tables/passkeys.ts';
import { sessions } from '../../store/tables/sessions.ts';
import type { Ports } from '../ports.ts';
import { type BegunSession, drawSession, endSessionsOf } from './browser-session.ts';
import { checkNewPasskey, checkPasskey, openAnswer, type PasskeyAnswer } from './check-passkey.ts';

export async function passkeysOf(id: IdentityId, { store }: Pick<Ports, 'store'>): Promise<readonly Passkey[]> {
  return (await store.load(passkeys, id)).found?.row.keys ?? [];
}

/** The challenge is used, and the passkey added, in one commit. */
export async function registerPasskey(
  answer: PasskeyAnswer & { readonly name: string },
  { identity, proof }: Person,
  { store }: Ports,
): Promise<PersonOutcome<undefined>> {
  const opened = openAnswer(answer);
  if (!opened.ok) return opened;
  const checked = await checkNewPasskey(opened.value);
  if (!checked.ok) return checked;
  const { challenge } = opened.value;
  const { id } = identity;
  const { name } = answer;
  return store.changeAll([rowOf(passkeys, id), rowOf(assertions, challenge.mark)], ([mine, used], now): Registering => {
    const before = mine?.row ?? { identityId: id, keys: [] };
    const added = { ...checked.value, name, createdAt: now };
    const facts = { before, added, isUsed: used !== undefined, challengeEndsAt: challenge.endsAt, now };
    const decided = decideRegister(facts);
    if (!decided.ok) return { outcome: decided };
    const act = { kind: 'passkey', id, did: 'added', key: added.id, name } as const;
    const by = { as: 'identity', id, proof: proof.by } as const;
    return { outcome: accept(undefined), next: [decided.value, challenge], events: [acted(act, { at: now, by })] };
  });
}

type Registering = Decision<readonly [Passkeys, UsedAssertion], PersonOutcome<undefined>>;
type SigningIn = Decision<readonly [Passkeys | undefined, UsedAssertion, undefined], PersonOutcome<BegunSession>>;

/** `userName`: what the person typed, if anything; the passkey must then be of that account. */
export async function signInWithPasskey(
  answer: PasskeyAnswer & { readonly userName: string },
  ports: Ports,
): Promise<PersonOutcome<BegunSession>> {
  const { store } = ports;
  const opened = openAnswer(answer);
  if (!opened.ok) return opened;
  const { challenge, names } = opened.value;
  const named = parseIdentityId(names.identityId);
  const passkey = named && (await passkeysOf(named, ports)).find((key) => key.credentialId === names.credentialId);
  if (!passkey) return refuse('passkey-refused', { rule: 'unknown' });
  const counter = await checkPasskey(opened.value, passkey);
  if (!counter.ok) return counter;
  const session = drawSession(ports);
  const facts = {
    id: passkey.id,
    counter: counter.value,
    userName: answer.userName,
    challengeEndsAt: challenge.endsAt,
  };
  const rows = [rowOf(passkeys, named), rowOf(assertions, challenge.mark), rowOf(identities, named)] as const;
  return store.changeAll(rows, ([mine, used, holder], now): SigningIn => {
    const found = { passkeys: mine?.row, identity: holder?.row, isUsed: used !== undefined, now };
    const decision = decidePasskeySignIn({ ...facts, ...found });
    if (decision.do === 'sign-in') {
      const { next, outcome } = session.begin(decision.identity, { by: 'passkey', at: now });
      const inserts = [insert(sessions, next)];
      return { outcome: accept(outcome), next: [decision.next, challenge, undefined], inserts };
    }
    const outcome = refused(decision.refusal);
    if (!decision.copied) return { outcome };
    const { id: key, name } = decision.copied;
    const act = { kind: 'passkey', id: named, did: 'copied', key, name } as const;
    const event = acted(act, { at: now, by: { as: 'service', why: 'sign-in' } });
    return { outcome, next: [undefined, challenge, undefined], events: [event] };
  });
}

export function renamePasskey(id: string, name: string, { identity }: Person, { store }: Ports): Promise<void> {
  return store.change(passkeys, identity.id, (found) => ({
    outcome: undefined,
    ...(found && {
      next: { ...found.row, keys: found.row.keys.map((key) => (key.id === id ? { ...key, name } : key)) },
    }),
  }));
}

/**
 * Removes those that `isMeant`, and ends the sessions of the identity except `keep`: some may have begun with them. Returns
 * what was removed.
 */
export async function removePasskeys(
  id: IdentityId,
  isMeant: (key: Passkey) => boolean,
  { store, by }: Pick<Ports, 'store'> & { readonly by: Author },
  keep?: string,
): Promise<readonly Passkey[]> {
  const removed = await store.change(passkeys, id, (found, at) => {
    const outcome = found?.row.keys.filter(isMeant) ?? [];
    if (!found || outcome.length === 0) return { outcome };
    const deed = {
      did: 'removed',
      ended: outcome.map((key) => key.id),
      names: outcome.map((key) => key.name),
    } as const;
    const next: Passkeys = endedBy('passkey', found.row, deed, at);
    return { outcome, next, events: [acted({ kind: 'passkey', id, ...deed }, { at, by })] };
  });
  if (removed.length > 0) await endSessionsOf(id, { store }, keep);
  return removed;
}
