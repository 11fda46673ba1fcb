import type { Identity } from '../../core/identity.ts';
import type { Person, Proof } from '../../core/person.ts';
import { after, type EpochSeconds, earlier } from '../../core/time.ts';
import { type Loaded, writeRow } from '../../store/store.ts';
import { type BrowserSession, sessions } from '../../store/tables/sessions.ts';
import { Secret } from '../../tokens/secret.ts';
import { sha256 } from '../../tokens/sha256.ts';
import { recheck } from '../grant/seen-identity.ts';
import type { Ports } from '../ports.ts';

const COOKIE_LENGTH = 32;
/** How often `seenAt` is written, in seconds: showing a page should not cost a write each time. */
const MARK_EVERY = 60;

export interface BegunSession {
  readonly cookie: Secret;
  readonly person: Person;
}

/** Begins a session after this proof, which is as old as `provenAt` says. */
export function beginSession(
  identity: Identity,
  ports: Ports,
  by: Proof['by'] = 'password',
  provenAt?: EpochSeconds,
): Promise<BegunSession> {
  const drawn = drawSession(ports);
  return ports.store.create(sessions, drawn.id, (now) =>
    drawn.begin(identity, { by, at: earlier(provenAt ?? now, now) }, now),
  );
}

/** A session that the caller's commit begins. The store has only a hash of the cookie. */
export function drawSession({ random, settings }: Pick<Ports, 'random' | 'settings'>) {
  const secret = random(COOKIE_LENGTH);
  const id = sha256(secret);
  const begin = (identity: Identity, proof: Proof, now = proof.at): { next: BrowserSession; outcome: BegunSession } => {
    const endsAt = earlier(after(now, settings.sessionIdle), after(now, settings.sessionLifetime));
    return {
      next: { id, identityId: identity.id, createdAt: now, seenAt: now, endsAt, proof },
      outcome: { cookie: new Secret(secret.toString('base64url')), person: { identity, session: id, proof } },
    };
  };
  return { id, begin };
}

/** Undefined once the session has ended or the identity is disabled. `isSeen`: the session goes on, since the person is there. */
export async function personOf(cookie: string, ports: Ports, isSeen = true): Promise<Person | undefined> {
  const secret = Buffer.from(cookie, 'base64url');
  if (secret.length !== COOKIE_LENGTH) return undefined;
  const id = sha256(secret);
  const { store, settings } = ports;
  const { found, now } = await loadSession(id, ports);
  if (!found?.companion?.enabled || now >= found.row.endsAt) return undefined;
  if (isSeen && now - found.row.seenAt >= MARK_EVERY) await markSeen(id, { store, settings });
  return { identity: found.companion, session: id, proof: found.row.proof };
}

/** The session with its holder, who is looked for in their directory again if that was long ago. */
async function loadSession(id: string, ports: Ports): Promise<Loaded<BrowserSession, Identity>> {
  const loaded = await ports.store.load(sessions, id);
  const { row, companion: holder } = loaded.found ?? {};
  if (!row || loaded.now >= row.endsAt || !holder || !ports.directories.isDue(holder, loaded.now)) return loaded;
  await recheck(holder, loaded.now, ports);
  return ports.store.load(sessions, id);
}

function markSeen(id: string, { store, settings }: Pick<Ports, 'store' | 'settings'>): Promise<unknown> {
  return writeRow(store, sessions, id, (row, now) => {
    if (!row || now >= row.endsAt) return undefined;
    const endsAt = earlier(after(now, settings.sessionIdle), after(row.createdAt, settings.sessionLifetime));
    return { ...row, seenAt: now, endsAt };
  });
}
