// The minimum cost of a durable refresh: Tessera's tokens and rows behind node:http. It only rotates: no refusals, rules,
// limits, retries or metrics. All that wait share one commit.
//   bare-refresh.ts PORT DATABASE KEYRING [same]
// DATABASE: a file of SQLite, or the address of a PostgreSQL. same: with the row of the event and the line of the log, as Tessera.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Event } from '../../../src/core/event.ts';
import type { GrantId } from '../../../src/core/grant.ts';
import type { Hex } from '../../../src/core/hex.ts';
import { presenter } from '../../../src/core/presenter.ts';
import { requestIds } from '../../../src/core/request-id.ts';
import { epochSeconds } from '../../../src/core/time.ts';
import { makeLog } from '../../../src/log/log.ts';
import { requestLines } from '../../../src/log/request-line.ts';
import { systemClock, systemRandom } from '../../../src/system.ts';
import { Keyring } from '../../../src/tokens/keyring.ts';
import { readKeyringFile } from '../../../src/tokens/keyring-file.ts';
import { hashesTo, NONCE_LENGTH, nextRefreshToken, opaqueAccessToken } from '../../../src/tokens/opaque/pair.ts';
import { parseRefreshToken, type RefreshToken } from '../../../src/tokens/opaque/token-text.ts';
import { CLIENT_ID } from '../fill.ts';
import type { BareRotation, BareRow, RotateAll } from './bare-rows.ts';

interface Waiting {
  readonly token: RefreshToken;
  readonly response: ServerResponse;
}

const [port, database = '', keyringFile = '', recording] = process.argv.slice(2);
const LIFETIME = 3600;
const keyring = new Keyring(readKeyringFile(keyringFile) ?? []);
const rotateRows: RotateAll = database.startsWith('postgres:')
  ? await (await import('./bare-postgres.ts')).openBarePostgres(database)
  : (await import('./bare-sqlite.ts')).openBareSqlite(database);
const PRESENTER = presenter('127.0.0.1', 'bench/1');
const { milliseconds } = systemClock;
const requestId = requestIds('0000', milliseconds);
const writeLine = requestLines(makeLog({ level: 'info', format: 'json', milliseconds }), milliseconds);
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
  for (const [at, { token, response }] of batch.entries()) {
    answer(response, answers[at] as string);
    if (recording === 'same') log(token.grantId);
  }
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
  const event = recording === 'same' ? eventOf(grantId, issuedAt) : undefined;
  return { grantId, revision, refreshHash, nonce, issuedAt, expiresAt, event };
}

function eventOf(subjectId: GrantId, at: number): Event {
  const shown = { clientId: CLIENT_ID, presenter: PRESENTER, requestId: requestId() };
  return { type: 'refreshed', at: epochSeconds(at), subjectId, ...shown };
}

function log(grantId: GrantId): void {
  const request = { id: requestId(), status: 200, ms: 1.234, address: PRESENTER.address };
  const record = { operation: 'refresh', outcome: 'accepted', clientId: CLIENT_ID, identityId: 'local:0123456789' };
  writeLine('info', request, { ...record, grantId });
}

function answer(response: ServerResponse, body: string): void {
  response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body) });
  response.end(body);
}
