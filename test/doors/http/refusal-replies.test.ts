// How a refusal is sent and recorded, whoever words it.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { fastify } from 'fastify';
import type { IdentityId } from '../../../src/core/identity.ts';
import { seconds } from '../../../src/core/time.ts';
import {
  NEUTRAL_REPLIES,
  nameRequest,
  prepareRefusal,
  type RefusalReplies,
  repliesIn,
  replyRefusal,
  unownedReplies,
} from '../../../src/doors/http/refusal-replies.ts';
import { type RequestRecord, recordOf } from '../../../src/doors/http/request-record.ts';
import type { ServerRefusal } from '../../../src/doors/http/transport-refusal.ts';
import { ADA } from '../../samples.ts';

const PAGES = repliesIn(({ reason }) => ({ status: 404, type: 'text/html', body: `<p>${reason} – ü` }));

async function sent(refusal: ServerRefusal, { replies = NEUTRAL_REPLIES, accept = '', isHttp2 = false } = {}) {
  const app = fastify({ genReqId: () => 'the-id' });
  let record: RequestRecord | undefined;
  app.get('/', (request, reply) => {
    if (isHttp2) Object.assign(request.raw, { stream: {} });
    record = recordOf(request);
    return replies.reply(reply, refusal);
  });
  const { statusCode: status, statusMessage, headers, payload } = await app.inject({ url: '/', headers: { accept } });
  return { status, statusMessage, headers, payload, record };
}

suite('a refusal', () => {
  test('has its status, its words and the id of its request, and is recorded', async () => {
    const { status, statusMessage, headers, payload, record } = await sent({ reason: 'not-found' });
    const words = { Error: 'invalid_request', Error_description: 'There is nothing at this path.' };
    assert.deepEqual([status, statusMessage, JSON.parse(payload)], [404, 'Not Found', words]);
    const { 'request-id': id, 'cache-control': cached, 'content-type': type, 'retry-after': wait } = headers;
    assert.deepEqual([id, cached, type, wait], ['the-id', 'no-store', 'application/json; charset=utf-8', undefined]);
    assert.deepEqual([record?.outcome, record?.reason, record?.isMonitoring], ['refused', 'not-found', false]);
  });

  test('of status 400 has its words in the status line of HTTP/1.1, which many programs print alone', async () => {
    const refusal = { reason: 'json-required', retryAfter: seconds(7) } as const;
    const { statusMessage, headers } = await sent(refusal);
    assert.match(String(statusMessage), /^This operation takes JSON only\./);
    assert.equal(headers['retry-after'], undefined);
    assert.equal((await sent(refusal, { isHttp2: true })).statusMessage, 'Bad Request');
  });

  test('that ends by itself says when', async () => {
    const { status, headers } = await sent({ reason: 'rate-limited', retryAfter: seconds(7) });
    assert.deepEqual([status, headers['retry-after']], [429, '7']);
  });

  test('that only the log explains names its request', async () => {
    const { payload, record } = await sent({ reason: 'fault' });
    assert.equal(JSON.parse(payload).Error_description, 'An internal error occurred. Request the-id.');
    assert.equal(record?.outcome, 'fault');
    const request = { id: 'the-id' } as never;
    for (const [reason, isNamed] of [
      ['certificate-issuer-not-approved', true],
      ['certificate-identity-unknown', true],
      ['scope-missing', false],
    ] as const) {
      assert.equal(nameRequest('No.', { reason }, request), isNamed ? 'No. Request the-id.' : 'No.', reason);
      assert.equal(nameRequest('No.', { reason }), 'No.');
    }
  });

  test('is recorded with its rule and its identity; without one, the identity that is known stays', async () => {
    const app = fastify();
    const records: RequestRecord[] = [];
    app.get('/', (request, reply) => {
      const record = recordOf(request);
      record.identityId = 'local:earlier' as IdentityId;
      const known = 'known' in (request.query as object);
      const refusal = { reason: 'cap-reached', rule: 'limits.grantsPerIdentity', ...(known && { identityId: ADA }) };
      records.push(record);
      return replyRefusal(reply, refusal, { status: 429, body: '{}' });
    });
    await app.inject('/');
    await app.inject('/?known');
    const [{ rule, identityId: earlier } = {}, { identityId: known } = {}] = records as Partial<RequestRecord>[];
    assert.deepEqual([rule, earlier, known], ['limits.grantsPerIdentity', 'local:earlier', ADA]);
  });
});

test('a refusal as bytes says as much as a reply, without a request', async () => {
  const prepared = prepareRefusal('overloaded');
  const { status, payload, headers } = await sent({ reason: 'overloaded' });
  assert.deepEqual([prepared.status, prepared.body], [status, payload]);
  for (const [name, value] of Object.entries(prepared.headers)) assert.equal(headers[name], value, name);
  assert.equal(prepareRefusal('method-not-allowed').headers['allow'], 'GET, POST');
});

test('where no door is, a browser sees a page and a program JSON', async () => {
  const typeOf = async (replies: RefusalReplies, accept: string) =>
    String((await sent({ reason: 'not-found' }, { replies, accept })).headers['content-type']).split(';')[0];
  assert.equal(await typeOf(unownedReplies(PAGES), 'text/html'), 'text/html');
  assert.equal(await typeOf(unownedReplies(PAGES), '*/*'), 'application/json');
  assert.equal(await typeOf(unownedReplies(), 'text/html'), 'application/json');
});
