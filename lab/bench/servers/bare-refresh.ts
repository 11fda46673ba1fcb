// The minimum cost of a durable refresh: Tessera's tokens and SQLite rows behind node:http. It only rotates: no refusals, rules,
// limits, retries, events, metrics or log.
//   bare-refresh.ts PORT DATABASE KEYRING
import { fdatasync, openSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Hex } from '../../../src/core/hex.ts';
import { epochSeconds } from '../../../src/core/time.ts';
import { makeDatabase, openDatabase } from '../../../src/store/sqlite/connection.ts';
import { systemRandom } from '../../../src/system.ts';
import { Keyring } from '../../../src/tokens/keyring.ts';
import { readKeyringFile } from '../../../src/tokens/keyring-file.ts';
import { hashesTo, NONCE_LENGTH, nextRefreshToken, opaqueAccessToken } from '../../../src/tokens/opaque/pair.ts';
import { parseRefreshToken, type RefreshToken } from '../../../src/tokens/opaque/token-text.ts';
import type { Secret } from '../../../src/tokens/secret.ts';

const [port, path = '', keyringFile = ''] = process.argv.slice(2);
const LIFETIME = 3600;

const keyring = new Keyring(readKeyringFile(keyringFile) ?? []);
makeDatabase(path);
const database = openDatabase(path);
const wal = openSync(`${path}-wal`, 'r');
const select = database.prepare(
  'SELECT revision, scope, refresh_until, hex(refresh_hash) FROM grants WHERE id = unhex(?)',
);
select.setReturnArrays(true);
const update = database.prepare(
  `UPDATE grants SET revision = revision + 1, generation = generation + 1, refresh_hash = unhex(?), nonce = unhex(?), issued_at = ?, expires_at = ?
   WHERE id = unhex(?) AND revision = ?`,
);

interface Rotation {
  readonly token: RefreshToken;
  readonly response: ServerResponse;
}

let waiting: Rotation[] = [];
let isBusy = false;

createServer((request, response) => {
  if (request.method === 'GET') return void response.end();
  readBody(request, (text) => {
    const token = parseRefreshToken(JSON.parse(text).refresh_token, keyring);
    if (!token) throw new Error('not a token of this keyring');
    if (waiting.push({ token, response }) === 1 && !isBusy) setImmediate(rotateAll);
  });
}).listen(Number(port), '127.0.0.1');

function readBody(request: IncomingMessage, then: (text: string) => void): void {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => then(Buffer.concat(chunks).toString()));
}

function rotateAll(): void {
  const batch = waiting;
  waiting = [];
  isBusy = true;
  const now = Math.floor(Date.now() / 1000);
  database.exec('BEGIN IMMEDIATE');
  const answers = batch.map(({ token }) => rotate(token, now));
  database.exec('COMMIT');
  fdatasync(wal, (fault) => {
    if (fault) throw fault;
    for (const [index, { response }] of batch.entries()) answer(response, answers[index] as string);
    isBusy = false;
    if (waiting.length > 0) setImmediate(rotateAll);
  });
}

function rotate(token: RefreshToken, now: number): string {
  const [revision, scope, until, hash] = select.get(token.grantId) as unknown as [number, string, number, string];
  if (!hashesTo(token.secret, hash.toLowerCase() as Hex)) throw new Error('a spent token');
  const nonce = systemRandom(NONCE_LENGTH).toString('hex') as Hex;
  const expires = now + LIFETIME;
  const { refreshToken, refreshHash, root } = nextRefreshToken(token, nonce, keyring.minting);
  const pair = { generation: token.generation + 1, expiresAt: epochSeconds(expires), keyId: keyring.minting.id };
  const accessToken = opaqueAccessToken({ id: token.grantId, pair }, root, keyring);
  update.run(refreshHash, nonce, now, expires, token.grantId, revision);
  return wording({ accessToken, refreshToken }, scope, expires, until);
}

function wording(
  { accessToken, refreshToken }: { accessToken: Secret; refreshToken: Secret },
  scope: string,
  expires: number,
  until: number,
): string {
  return JSON.stringify({
    access_token: accessToken.reveal(),
    refresh_token: refreshToken.reveal(),
    expires_in: LIFETIME,
    expires,
    token_type: 'Bearer',
    scope,
    refresh_until: until,
  });
}

function answer(response: ServerResponse, body: string): void {
  response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body) });
  response.end(body);
}
