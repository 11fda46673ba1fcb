// The minimum cost of a durable refresh: Tessera's tokens and rows behind node:http. It only rotates: no refusals, rules,
// limits, retries, events, metrics or log. All that wait share one commit.
//   bare-refresh.ts PORT DATABASE KEYRING
// DATABASE: a file of SQLite, or the address of a PostgreSQL.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Hex } from '../../../src/core/hex.ts';
import { epochSeconds } from '../../../src/core/time.ts';
import { systemRandom } from '../../../src/system.ts';
import { Keyring } from '../../../src/tokens/keyring.ts';
import { readKeyringFile } from '../../../src/tokens/keyring-file.ts';
import { hashesTo, NONCE_LENGTH, nextRefreshToken, opaqueAccessToken } from '../../../src/tokens/opaque/pair.ts';
import { parseRefreshToken, type RefreshToken } from '../../../src/tokens/opaque/token-text.ts';
import type { BareRotation, BareRow, RotateAll } from './bare-rows.ts';

interface Waiting {
  readonly token: RefreshToken;
  readonly response: ServerResponse;
}

const [port, database = '', keyringFile = ''] = process.argv.slice(2);
const LIFETIME = 3600;
const keyring = new Keyring(readKeyringFile(keyringFile) ?? []);
const rotateRows: RotateAll = database.startsWith('postgres:')
  ? await (await import('./bare-postgres.ts')).openBarePostgres(database)
  : (await import('./bare-sqlite.ts')).openBareSqlite(database);
let waiting: Waiting[] = [];
let isBusy = false;

createServer((request, response) => {
  if (request.method === 'GET') return void response.end();
  readBody(request, (text) => {
    const token = parseRefreshToken(JSON.parse(text).refresh_token, keyring);
    if (!token) throw new Error('not a token of this keyring');
    if (waiting.push({ token, response }) === 1 && !isBusy) setImmediate(() => void rotateAll());
  });
}).listen(Number(port), '127.0.0.1');

function readBody(request: IncomingMessage, then: (text: string) => void): void {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => then(Buffer.concat(chunks).toString()));
}

async function rotateAll(): Promise<void> {
  const batch = waiting;
  waiting = [];
  isBusy = true;
  const now = Math.floor(Date.now() / 1000);
  const answers: string[] = [];
  const ids = batch.map(({ token }) => token.grantId);
  await rotateRows(ids, (at, row) => rotate((batch[at] as Waiting).token, row, now, (text) => (answers[at] = text)));
  for (const [at, { response }] of batch.entries()) answer(response, answers[at] as string);
  isBusy = false;
  if (waiting.length > 0) setImmediate(() => void rotateAll());
}

function rotate(token: RefreshToken, row: BareRow, issuedAt: number, say: (answer: string) => void): BareRotation {
  const { grantId } = token;
  const { revision, scope, refreshUntil } = row;
  if (!hashesTo(token.secret, row.refreshHash)) throw new Error('a spent token');
  const nonce = systemRandom(NONCE_LENGTH).toString('hex') as Hex;
  const expiresAt = issuedAt + LIFETIME;
  const { refreshToken, refreshHash, root } = nextRefreshToken(token, nonce, keyring.minting);
  const pair = { generation: token.generation + 1, expiresAt: epochSeconds(expiresAt), keyId: keyring.minting.id };
  const accessToken = opaqueAccessToken({ id: grantId, pair }, root, keyring);
  say(
    JSON.stringify({
      access_token: accessToken.reveal(),
      refresh_token: refreshToken.reveal(),
      expires_in: LIFETIME,
      expires: expiresAt,
      token_type: 'Bearer',
      scope,
      refresh_until: refreshUntil,
    }),
  );
  return { grantId, revision, refreshHash, nonce, issuedAt, expiresAt };
}

function answer(response: ServerResponse, body: string): void {
  response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body) });
  response.end(body);
}
