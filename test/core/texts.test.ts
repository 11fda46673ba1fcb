// Small things that many use: durations, ids of requests, networks, quoted texts, counts.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { closest } from '../../src/core/closest.ts';
import { formatDuration, parseDuration } from '../../src/core/duration.ts';
import { csvCell, EVENT_COLUMNS, eventAsCsv } from '../../src/core/event.ts';
import { quantile, refusalsIn, refusedFor, since, sum, within } from '../../src/core/figures.ts';
import type { IdentityId } from '../../src/core/identity.ts';
import { keepNewest } from '../../src/core/keep-newest.ts';
import { oncePer } from '../../src/core/once-per.ts';
import { isSamePresenter, neighbourhoodOf, networkOf, presenter } from '../../src/core/presenter.ts';
import { escapeText, quote } from '../../src/core/quote.ts';
import { requestedAt, requestIds } from '../../src/core/request-id.ts';
import { isoTime } from '../../src/core/time.ts';
import type { NOW } from '../samples.ts';

suite('a duration', () => {
  const YEARS = 50 * 365;
  for (const [given, expected] of [
    ['90d', 90 * 86_400],
    ['12h', 12 * 3600],
    ['15m', 900],
    ['60s', 60],
    ['0s', 0],
    ['7', 7],
    [7, 7],
    [0, 0],
    [`${YEARS}d`, YEARS * 86_400],
    [`${YEARS + 1}d`, undefined],
    [-1, undefined],
    [1.5, undefined],
    ['', undefined],
    ['1 d', undefined],
    ['1w', undefined],
    ['d', undefined],
    [undefined, undefined],
  ] as const)
    test(`${JSON.stringify(given)} is ${expected}`, () => {
      assert.equal(parseDuration(given), expected);
    });

  test('is written in the largest unit that has no rest', () => {
    assert.deepEqual([0, 1, 60, 90, 3600, 5400, 86_400, 172_800].map(formatDuration), [
      '0s',
      '1s',
      '1m',
      '90s',
      '1h',
      '90m',
      '1d',
      '2d',
    ]);
  });
});

test('an id of a request says when it arrived, and none comes twice within 65,536', () => {
  let now = 0x6b49d200 * 1000 + 999;
  const next = requestIds('abcd', () => now);
  assert.equal(next(), '6b49d200abcd0001');
  assert.equal(requestedAt(next()), 0x6b49d200);
  for (let n = 0; n < 65_532; n++) next();
  assert.deepEqual([next(), next(), next()], ['6b49d200abcdffff', '6b49d200abcd0000', '6b49d200abcd0001']);
  now = 1000;
  assert.equal(next(), '00000001abcd0002');
  for (const text of ['', '6b49d200abcd000', '6b49d200abcd00011', '6B49D200ABCD0001'])
    assert.equal(requestedAt(text), undefined);
});

suite('an address is counted', () => {
  for (const [address, network, neighbourhood] of [
    ['192.0.2.7', '192.0.2.7', '192.0.2.0/24'],
    ['::ffff:192.0.2.7', '192.0.2.7', '192.0.2.0/24'],
    ['::FFFF:192.0.2.7', '192.0.2.7', '192.0.2.0/24'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64', '2001:db8:1::/48'],
    ['2001:0DB8:0001::6', '2001:db8:1:0::/64', '2001:db8:1::/48'],
    ['2001:db8::', '2001:db8:0:0::/64', '2001:db8:0::/48'],
    ['::1', '0:0:0:0::/64', '0:0:0::/48'],
  ] as const)
    test(`${address}: ${network}, in ${neighbourhood}`, () => {
      assert.deepEqual([networkOf(address), neighbourhoodOf(address)], [network, neighbourhood]);
    });
});

test('a presenter is the same by address and agent', () => {
  const one = presenter('192.0.2.7', 'curl');
  assert.equal(isSamePresenter(one, presenter('192.0.2.7', 'curl')), true);
  assert.equal(isSamePresenter(one, presenter('192.0.2.8', 'curl')), false);
  assert.equal(isSamePresenter(one, presenter('192.0.2.7', 'wget')), false);
});

test('a text is quoted as JSON, and stays on its line and in its field', () => {
  for (const text of ['', 'plain text', 'a"b', 'a\\b', 'é', '\n']) assert.equal(quote(text), JSON.stringify(text));
  assert.equal(escapeText('CN (test) a@b.example'), 'CN (test) a@b.example');
  assert.equal(escapeText('a,b+c="<>;\\'), 'a\\,b\\+c\\=\\"\\<\\>\\;\\\\');
  assert.equal(escapeText('a\nb\u2028\u202e'), 'a\\u{a}b\\u{2028}\\u{202e}');
  assert.equal(escapeText('x'.repeat(256)), 'x'.repeat(256));
  assert.equal(escapeText('x'.repeat(257)), `${'x'.repeat(256)}…`);
});

test('a mistyped word is recognised if it is near enough', () => {
  const words = ['grant', 'integration', 'identity'];
  assert.equal(closest('GRANTS', words), 'grant');
  assert.equal(closest('gr', ['grant']), undefined);
  assert.equal(closest('grnat', words), 'grant');
  assert.equal(closest('intgraton', words), 'integration');
  assert.equal(closest('xxxxx', words), undefined);
  assert.equal(closest('integratabcd', words), 'integration', 'four of twelve letters');
  assert.equal(closest('a', []), undefined);
  assert.equal(closest('ab', ['xb', 'ab']), 'ab');
});

suite('counts', () => {
  test('are added, and compared with earlier ones', () => {
    assert.deepEqual(sum([{ a: 1, b: 2 }, { a: 3 }]), { a: 4, b: 2 });
    assert.deepEqual(since({ a: 1, b: 2 }, { a: 1, b: 5, c: 1 }), { b: 3, c: 1 });
  });

  test('of refusals begin with the most frequent', () => {
    const counts = { accepted: 9, [refusedFor('x')]: 1, [refusedFor('y')]: 3 };
    assert.deepEqual(refusalsIn(counts), [
      ['y', 3],
      ['x', 1],
    ]);
  });

  test('say within which time a share of the answers was given', () => {
    const counts = { timed: 10, [within(0.1)]: 4, [within(0.01)]: 4 };
    assert.equal(quantile(counts, 0.4), 0.01);
    assert.equal(quantile(counts, 0.2), 0.005);
    assert.equal(quantile(counts, 0.6)?.toFixed(4), '0.0550');
    assert.equal(quantile(counts, 0.99), 0.1, 'slower than the last bound');
    assert.equal(quantile({}, 0.5), undefined);
  });
});

test('a cache keeps the newest; what is computed per object is computed once', () => {
  const cache = new Map([['a', 1]]);
  assert.equal(keepNewest(cache, 'b', 2, 2), 2);
  keepNewest(cache, 'a', 3, 2);
  keepNewest(cache, 'c', 4, 2);
  assert.deepEqual(
    [...cache],
    [
      ...new Map([
        ['a', 3],
        ['c', 4],
      ]),
    ],
  );
  let computed = 0;
  const once = oncePer<object, number>(() => ++computed);
  const key = {};
  assert.deepEqual([once(key), once(key), once({})], [1, 1, 2]);
});

test('a time is written in ISO 8601, until the year 9999', () => {
  assert.equal(isoTime(1_800_000_000 as typeof NOW), '2027-01-15T08:00:00Z');
  assert.equal(isoTime((2 ** 40) as typeof NOW), '9999-12-31T23:59:59Z');
});

test('an event is one line of CSV, with its details as JSON, and no cell is a formula [RFC 4180]', () => {
  const at = 1_800_000_000 as typeof NOW;
  const short = { type: 'refreshed', at, sequence: 7, clientId: 'orders' } as const;
  assert.equal(eventAsCsv(short), '7,2027-01-15T08:00:00Z,refreshed,orders,,,,,,');
  const header = 'sequence,at,type,clientId,identityId,subjectId,address,agent,requestId,detail';
  assert.equal(EVENT_COLUMNS.join(','), header);
  const presenter = { address: '10.0.0.1', agent: '=cmd' };
  const ids = { identityId: 'local:1' as IdentityId, subjectId: 'local:2', presenter, requestId: 'r' };
  const whole = { ...short, ...ids, type: 'reused', detail: { ended: true } } as const;
  const cells = `7,2027-01-15T08:00:00Z,reused,orders,local:1,local:2,10.0.0.1,'=cmd,r,"{""ended"":true}"`;
  assert.equal(eventAsCsv(whole), cells);
  for (const text of ['=1', '+1', '-1', '@x', '\tx']) assert.equal(csvCell(text), `'${text}`);
  assert.deepEqual(['a,b', 'a\nb', 'a"b', 'a=b'].map(csvCell), ['"a,b"', '"a\nb"', '"a""b"', 'a=b']);
});
