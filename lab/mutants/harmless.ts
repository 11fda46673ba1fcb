// Mutants that no test can notice, each with its reason. They are neither tried nor counted.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../deploy/shell.ts';
import type { Mutant } from './mutations.ts';

/** By file, and the changed line or what was removed. */
const HARMLESS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'src/core/scope.ts': {
    'const MOST_REMEMBERED = 2000;': 'a larger cache',
    'without remembered.set(text, scope);': 'texts are parsed anew each time, which takes longer',
    'const resource = colon <= 0 ? entry : entry.slice(0, colon);':
      'an entry that begins with a colon is refused either way',
    "const permissions = colon <= 0 ? [] : entry.slice(colon + 1).split(',');":
      'an entry that begins with a colon was refused before',
  },
  'src/core/trace-parent.ts': {
    "if (traceId === undefined && spanId === undefined || version === 'ff') return undefined;":
      'the pattern finds both or neither',
  },
  'src/assertions/issuer-keys.ts': {
    'without this.#held.set(name, held);': 'the keys of a file are read anew each time, which takes longer',
  },
  'src/operations/admin/acts/work/event.ts': {
    'if (++steps > MOST_STEPS || isPast(page, at && later(at, LATER))) break;':
      'one page more, of a minute with very many events',
  },
  'src/operations/admin/find-grants.ts': {
    'if (start === undefined || found.length > limit)':
      'one page more is read, if a page ends at the limit, and cut off',
    'const [grant, ...others] = await grantsBeginning(text, 3, store);': 'one row more is read',
    'if ((await store.find(grants, grantsOf.certificate(mark), 2)).length > 0) return mark;': 'one row more is read',
  },
  'src/operations/admin/lost-endings.ts': {
    'const STEP = 2000;': 'larger pages',
  },
  'src/operations/admin/secrets.ts': {
    'let endsAt = 1 as EpochSeconds;': 'set before it is first read',
  },
  'src/operations/feed/feed-tail.ts': {
    '#history = 1;': 'only whether it changes counts',
    '#saidAt = 1;': 'a millisecond after the process began',
    'if (items.length === 0 && !isCheck) return 1;': 'only whether it is 500 counts',
    'if (this.#at !== at) return 1; // the last follower left meanwhile': 'only whether it is 500 counts',
    'while (this.#currentAt <= asked && !signal.aborted) {':
      'one look more, if both are the same fraction of a microsecond',
  },
  'sdk/client/src/store/process-life.ts': {
    'export const TOUCH_MS = 2000;': 'a lock is touched half as often, and counts as abandoned after 30 seconds only',
  },
  'sdk/verify/src/feed.ts': {
    '#freshAt = 1;': 'set before it is first read',
  },
  'sdk/verify/src/service.ts': {
    '...(signal || { signal }),': 'close() destroys the agents, too, and so the stream',
  },
  'sdk/verify/src/awaited.ts': {
    'const alive = setInterval(() => undefined, 2 ** 31);': 'an empty function is called, however often',
    'const alive = setInterval(() => undefined, 3 ** 30);': 'an empty function is called, however often',
  },
  'src/pki/x509/distinguished-name.ts': {
    'if (false) return true;': 'names are compared by their text, which takes longer',
  },
  'src/pki/x509/general-name.ts': {
    'return at >= 0 && LOCAL_PART.test(text.slice(0, at)) && isHostName(text.slice(at + 1));': 'no local part is empty',
  },
  'src/pki/revocation/crl-entries.ts': {
    'hash ^= hash >>> 16;': 'another hash, which finds the same entries',
  },
  'src/pki/revocation/crl-check.ts': {
    'const points = true ? (known.crlDistributionPoints ?? []) : [];':
      'points are compared with none, which takes longer',
    'const points = places.size >= 0 ? (known.crlDistributionPoints ?? []) : [];':
      'points are compared with none, which takes longer',
  },
  'src/pki/path/policies.ts': {
    'if (false) return undefined;': 'policies are processed that nobody requires, which takes longer',
  },
  'src/pki/path/search.ts': {
    'return (hasName ? 0 : 4) + rankOfKey(above.keyIdentifier, below.issuerKeyIdentifier);': 'the same order',
    'if (trail.length > MAX_PATH_LENGTH || trail.includes(above) || this.#isAnchor(above)) return false;':
      'bounds self-issued certificates alone: others have a lower limit',
  },
  'src/tokens/keyring-file.ts': {
    'without syncPath(dirname(this.#path));': 'only a power cut shows it',
    'without fsyncSync(file);': 'only a power cut shows it',
  },
  'src/tokens/jwt/jwt.ts': {
    "const [header = '', claims = '', signature = '', ...more] = text.split('.', 5);":
      'one part more, all are too many',
    "const [header = ''] = text.split('.', 2);": 'the second part is not used',
    "RS256: { digest: 'sha256', isSlow: false },": 'the same signature, only on the main thread',
    "ES256: { digest: 'sha256', encoding: { dsaEncoding: 'ieee-p1363' }, isSlow: true },":
      'the same signature, only on a thread',
    'EdDSA: { digest: undefined, isSlow: true },': 'the same signature, only on a thread',
    'return true ? signOnThread(digest, data, key).then(join) : join(sign(digest, data, key));':
      'the same signatures, only on a thread',
    'return false ? signOnThread(digest, data, key).then(join) : join(sign(digest, data, key));':
      'the same signatures, only on the main thread',
  },
  'src/tokens/known-browser.ts': {
    'export const BROWSER_ID_LENGTH = 17;': 'the cookie has room for 16 octets',
  },
  'src/tokens/resource-server-secret.ts': {
    'const results = (true ? hashes : [NOBODY]).map((known) => isSameHash(hash, known));': 'only the time shows it',
    'const results = (hashes.length >= 0 ? hashes : [NOBODY]).map((known) => isSameHash(hash, known));':
      'only the time shows it',
  },
  'src/tokens/user-code.ts': {
    'const unbiased = random(3 * LENGTH).filter((byte) => byte < 240);': 'more random bytes than are needed',
  },
  'src/tokens/signing-key.ts': {
    "asymmetricKeyType === 'rsa' && (asymmetricKeyDetails?.modulusLength ?? 1) >= RSA_BITS,":
      'every RSA key has a length',
  },
  'src/store/change.ts': {
    'return { swaps: swaps.length >= 1 ? inLockOrder(swaps) : swaps, events, revision: drawRevision(swaps) };':
      'one alone is in order',
  },
  'src/store/sqlite/continuous/archive.ts': {
    'const after = last === undefined ? 1 : momentOfName(last) + 1;': 'no clock is at the first millisecond of 1970',
  },
  'src/store/sqlite/continuous/follow.ts': {
    'without syncPath(path);': 'only a power cut shows it',
  },
  'src/store/sqlite/continuous/records.ts': {
    'if (rest.length < 5 + length) return undefined;': 'a record that ends with its head is incomplete either way',
  },
  'src/store/sqlite/continuous/wal-frames.ts': {
    'const CHUNK_FRAMES = 512;': 'the same frames are read, in larger pieces',
    "if (frame.toString('hex', 8, 16) !== salts) return true;":
      'the checksums of the frames behind it do not fit either',
    'for (let from = HEADER_BYTES + after.frames * frameBytes; from <= end; from += chunk.length) {':
      'one read more, of nothing',
    'if (databasePages > 1) this.#commit(databasePages);': 'no store has a single page',
  },
  'src/doors/authsvc/iso-time.ts': {
    "const TWO_DIGITS = Array.from({ length: 61 }, (_, number) => String(number).padStart(2, '0'));":
      'one text more, which no time has',
    'if (false) return known;': 'a day is written anew each time, which takes longer',
    'without days.set(day, text);': 'a day is written anew each time, which takes longer',
  },
  'src/doors/oauth/routes.ts': {
    'if (true) written = { at, body: JSON.stringify(withRegistered(metadata, registry, codes)) };':
      'written anew each time, which takes longer',
  },
  'src/doors/scim/endpoints.ts': {
    'groupResource(group, true ? await membersOf(group, ports) : undefined, base),':
      'members are loaded, and left out of the answer, which takes longer',
  },
  'src/doors/caller/connection.ts': {
    'const shown = true ? socket[SHOWN] : undefined;': 'kept for HTTP/2, too',
    'if (true) socket[SHOWN] = { agent, connection };': 'kept for HTTP/2, too',
  },
  'src/doors/oauth/key-set.ts': {
    'if (true) written = writeKeySet(signingKeys);': 'the keys are written anew each time, which takes longer',
  },
  'src/doors/oauth/feed-batch.ts': {
    'if (length > BATCH_BYTES) break;': 'one entry more, if a batch is exactly that long',
  },
  'src/doors/oauth/feed-streams.ts': {
    'if (first || at.sequence < end) continue;': 'one look more, before a follower has caught up',
    'if (true) return;': 'the timer runs on, and finds no stream',
  },
  'src/outbound/download.ts': {
    'let nextPieceAt = 1;': 'the first turn comes at once, whatever it is',
    'unrested = 1;': 'the next pause comes a byte earlier',
    'let unrested = 1;': 'the first pause comes a byte earlier',
  },
  'src/operations/feed/cursor.ts': {
    "const NO_GRANT = '0'.repeat(33);": 'another text that is the id of no grant',
    'const [found] = await store.events({ after: Math.max(sequence - 1, 0), limit: 2 });': 'one row more is read',
  },
  'src/outbound/client-documents.ts': {
    '#recent = { since: 1, fetches: new Map<string, number>() };': 'long before the first request',
    'let status = 1;': 'a status that no response has, as 0',
  },
  'src/outbound/proxy.ts': {
    'const trust = false ? {} : { ca: authorities };': 'undefined stands for the usual authorities, too',
  },
  'src/outbound/guarded-fetch.ts': {
    'return { ok: status > 200 && status <= 299, status, headers: { get: () => null }, body: null };':
      '200 was handled before',
  },
};

export function whyHarmless({ file, start, end, from, to }: Mutant): string | undefined {
  const reasons = HARMLESS[file];
  if (!reasons) return undefined;
  const text = readFileSync(join(ROOT, file), 'utf8');
  const [before, after] = [text.slice(0, start), text.slice(end)];
  const line = before.slice(before.lastIndexOf('\n') + 1) + to + after.slice(0, after.indexOf('\n'));
  return reasons[to === ';' ? `without ${from}` : line.trim()];
}
