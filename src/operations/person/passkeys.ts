// The passkeys of a person: register, rename and remove them, and sign in with one.
import type { Author } from '../../core/act.ts';
import { acted } from '../../core/event.ts';
import { type IdentityId, parseIdentityId } from '../../core/identity.ts';
import { accept, type PersonOutcome, refuse, refused } from '../../core/outcome.ts';
import type { Passkey, Passkeys } from '../../core/passkey.ts';
import type { Person } from '../../core/person.ts';
import { endedBy } from '../../core/rules/endings.ts';
import { decidePasskeySignIn, decideRegister, INVITATION_LIFETIME } from '../../core/rules/passkey.ts';
import { after, type EpochSeconds } from '../../core/time.ts';
import { type Decision, insert, rowOf, type StorePort, writeRow } from '../../store/store.ts';
import { assertions, type UsedAssertion } from '../../store/tables/attempts.ts';
import { identities, passkeys } from '../../store/tables/identities.ts';
import { sessions } from '../../store/tables/sessions.ts';
import { Secret } from '../../tokens/secret.ts';
import { sha256 } from '../../tokens/sha256.ts';
import { endSessionsOf } from '../end-sessions.ts';
import type { Ports, Random } from '../ports.ts';
import { type BegunSession, drawSession } from './browser-session.ts';
import { checkNewPasskey, checkPasskey, openAnswer, type PasskeyAnswer } from './check-passkey.ts';

export async function passkeysOf(id: IdentityId, { store }: StorePort): Promise<readonly Passkey[]> {
  return (await store.load(passkeys, id)).found?.row.keys ?? [];
}

const INVITATION_LENGTH = 10;

/** A code with which the identity, signed in, adds one passkey that is a strong proof. The store has only its hash. */
export async function invitePasskey(
  id: IdentityId,
  { store, random, by }: StorePort & { readonly random: Random; readonly by: Author },
): Promise<{ readonly code: Secret; readonly until: EpochSeconds }> {
  const code = random(INVITATION_LENGTH).toString('hex');
  const { mark } = invitationOf(id, code);
  const until = await store.create(assertions, mark, (at) => {
    const endsAt = after(at, INVITATION_LIFETIME);
    const event = acted({ kind: 'passkey', id, did: 'invited', until: endsAt }, { at, by });
    return { outcome: endsAt, next: { mark, endsAt }, events: [event] };
  });
  return { code: new Secret(code.match(/.{5}/g)?.join('-') ?? code), until };
}

/** Where it is stored, and where that it was used. */
function invitationOf(id: IdentityId, typed: string) {
  const code = typed.toLowerCase().replace(/[^0-9a-f]/g, '');
  const mark = sha256(`passkey invitation of ${id}: ${code}`);
  return { mark, usedMark: sha256(`used ${mark}`) };
}

/** The challenge and any invitation are used, and the passkey added, in one commit. */
export async function registerPasskey(
  answer: PasskeyAnswer & { readonly name: string; readonly invitation: string },
  { identity, proof }: Person,
  { store }: Ports,
): Promise<PersonOutcome<undefined>> {
  const opened = openAnswer(answer);
  if (!opened.ok) return opened;
  const checked = await checkNewPasskey(opened.value);
  if (!checked.ok) return checked;
  const { challenge } = opened.value;
  const { id } = identity;
  const { name, invitation: typed } = answer;
  const { mark, usedMark } = invitationOf(id, typed);
  const rows = [
    rowOf(passkeys, id),
    rowOf(assertions, challenge.mark),
    rowOf(assertions, mark),
    rowOf(assertions, usedMark),
  ] as const;
  return store.changeAll(rows, ([mine, used, invited, ended], now): Registering => {
    const invitedUntil = ended ? undefined : invited?.row.endsAt;
    const hasTyped = typed.trim() !== '';
    const before = mine?.row ?? { identityId: id, keys: [] };
    const added = { ...checked.value, name, createdAt: now };
    const facts = { before, added, proof, hasTyped, invitedUntil, isUsed: used !== undefined, now } as const;
    const decided = decideRegister({ ...facts, challengeEndsAt: challenge.endsAt });
    if (!decided.ok) return { outcome: decided };
    const act = { kind: 'passkey', id, did: 'added', key: added.id, name } as const;
    const by = { as: 'identity', id, proof: proof.by } as const;
    const spent = invitedUntil && { mark: usedMark, endsAt: invitedUntil };
    const next = [decided.value, challenge, undefined, spent] as const;
    return { outcome: accept(undefined), next, events: [acted(act, { at: now, by })] };
  });
}

type Registering = Decision<
  readonly [Passkeys, UsedAssertion, undefined, UsedAssertion | undefined],
  PersonOutcome<undefined>
>;
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
      const { next, outcome } = session.begin(decision.identity, { by: decision.by, at: now });
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

export function renamePasskey(id: string, name: string, { identity }: Person, { store }: Ports): Promise<unknown> {
  const renamed = (key: Passkey) => (key.id === id ? { ...key, name } : key);
  return writeRow(store, passkeys, identity.id, (row) => row && { ...row, keys: row.keys.map(renamed) });
}

/** Also ends the sessions of the identity except `keep`: some may have begun with them. Returns what was removed. */
export async function removePasskeys(
  id: IdentityId,
  isMeant: (key: Passkey) => boolean,
  { store, by }: StorePort & { readonly by: Author },
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
