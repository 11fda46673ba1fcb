// Which lists are kept for an address, which replaces which, and which are dropped at a limit.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { epochSeconds } from '../../src/core/time.ts';
import { TAG } from '../../src/pki/der/der.ts';
import { write, writeSequence } from '../../src/pki/der/der-write.ts';
import { type RevocationList, readRevocationList } from '../../src/pki/revocation/crl.ts';
import { type KeptLists, ListStock, stillInForce, withList } from '../../src/pki/revocation/kept-lists.ts';
import { EXTENSION } from '../../src/pki/x509/extensions.ts';
import { makeAuthority } from '../authority.ts';
import { extension } from '../signed-der.ts';
import { NOW } from './approved.ts';
import { flag } from './corpus/list-case.ts';

const root = makeAuthority({ name: 'Root' });
type CrlOptions = NonNullable<Parameters<typeof root.crl>[0]>;

function listOf(options: CrlOptions = {}, authority = root): RevocationList {
  const read = readRevocationList(authority.crl({ thisUpdate: '2026-11-01', ...options }));
  return read.ok ? read.value : assert.fail();
}

const scoped = (number: number): CrlOptions => ({
  extensions: [extension(EXTENSION.issuingDistributionPoint, writeSequence(flag(number)), true)],
});
const delta: CrlOptions = {
  extensions: [extension(EXTENSION.deltaCrlIndicator, write(TAG.integer, Uint8Array.of(1)), true)],
};
const KINDS = [{}, delta, scoped(1), scoped(2), scoped(4)] as const;
const early = { thisUpdate: '2026-11-16', number: 9 };
const NEVER = epochSeconds(0);
const NOTHING: KeptLists = { lists: [], isTrusted: false, renewAt: NEVER, endsAt: NEVER };

/** The lists that are kept after these came, by their position; why not, if one is refused. */
function kept(...lists: RevocationList[]): string | number[] {
  let state = NOTHING;
  for (const list of lists) {
    const next = withList(state, { list, mark: '' }, NOW);
    if (!next.ok) return next.refusal;
    state = next.value;
    assert.equal(state.isTrusted, true);
  }
  return state.lists.map(({ list }) => lists.indexOf(list));
}

suite('a list of an address', () => {
  const [older, newer] = [listOf({ number: 4 }), listOf({ number: 5 })];

  test('replaces one of the same kind that is not newer', () => {
    assert.deepEqual(kept(older, newer), [1]);
    assert.deepEqual(kept(newer, newer), [0]);
    assert.equal(kept(newer, older), 'it is older than the previous CRL');
    assert.deepEqual(kept(newer, listOf({ number: 4 }, makeAuthority({ name: 'Other' }))), [0, 1]);
  });

  test('stays beside those of other kinds, four of them at most', () => {
    const lists = KINDS.map((options) => listOf(options));
    assert.deepEqual(kept(...lists.slice(0, 4)), [0, 1, 2, 3]);
    assert.equal(kept(...lists), 'the address has served 4 other kinds of CRL');
    const [first = assert.fail(), ...others] = lists.slice(0, 4);
    assert.deepEqual(kept(first, ...others, listOf()), [1, 2, 3, 4]);
  });

  test('that is not valid yet comes before the others, and is replaced by one that is', () => {
    const future = listOf(early);
    assert.deepEqual(kept(newer, future), [1, 0]);
    assert.deepEqual(kept(future, newer), [0, 1]);
    assert.deepEqual(kept(future, listOf({ ...early, number: 10 })), [1]);
  });

  test('that was not trusted is replaced by any; the last valid one says until when', () => {
    const [sooner, later] = ['2026-11-20', '2026-11-21'].map((nextUpdate) => listOf({ nextUpdate, number: 9 }));
    const endOf = (list: RevocationList | undefined, before: KeptLists) => {
      const next = withList(before, { list: list ?? assert.fail(), mark: 'm' }, NOW);
      return next.ok ? [next.value.endsAt, next.value.lists.length] : next.refusal;
    };
    const untrusted = { ...NOTHING, lists: [{ list: later ?? assert.fail(), mark: '' }] };
    assert.deepEqual(endOf(sooner, untrusted), [Date.parse('2026-11-20') / 1000, 1]);
    assert.deepEqual(endOf(listOf({ nextUpdate: null, number: 9 }), untrusted), [NEVER, 1]);
    assert.deepEqual(endOf(listOf(early), { ...NOTHING, endsAt: epochSeconds(7) }), [7, 1]);
  });
});

test('a list from a file stays in force until one of the same kind replaces it', () => {
  const [one, two, future] = [listOf(), listOf(), listOf(early)];
  const inForce = (before: RevocationList[], next: RevocationList[]) => stillInForce(before, next, NOW).length;
  assert.equal(inForce([one], [two]), 0);
  assert.equal(inForce([one], [future]), 1);
  assert.equal(inForce([one], [one, future]), 0, 'it is among the next ones');
  assert.equal(inForce([one], [future, two]), 0);
  assert.equal(inForce([future], [listOf(early)]), 0);
  assert.equal(inForce([one], []), 0, 'the operator has removed it');
  assert.equal(inForce([one], [listOf(delta)]), 0, 'nothing succeeds it');
});

suite('the stock of lists', () => {
  const OVERHEAD = 4_096;
  const list = listOf();
  const size = list.toBeSigned.whole.length + OVERHEAD;
  const limits = { listBytes: 1_000_000, addressesPerIssuer: 2, totalBytes: 3 * size, issuers: 2 };
  const filled = (count = 1): KeptLists => ({
    ...NOTHING,
    isTrusted: true,
    lists: Array.from({ length: count }, () => ({ list, mark: '' })),
  });
  function stockOf(most: Partial<typeof limits> = {}) {
    return new ListStock(() => ({ ...limits, ...most }));
  }

  test('knows its lists, and forgets them', () => {
    const stock = stockOf();
    assert.deepEqual([stock.has('a'), stock.get('a').lists], [false, []]);
    stock.set('a', filled());
    stock.name('a', 'ONE');
    stock.name('a', 'TWO');
    assert.deepEqual([stock.has('a'), stock.all.length, ...(stock.namedBy('a') ?? [])], [true, 1, 'ONE', 'TWO']);
    stock.delete('a');
    assert.deepEqual([stock.has('a'), stock.namedBy('a')], [false, undefined]);
  });

  test('has room for as many addresses and octets as the limits say', () => {
    const stock = stockOf();
    stock.set('a', filled());
    assert.equal(stock.hasRoom('b', 2 * size - OVERHEAD), true);
    assert.equal(stock.hasRoom('b', 2 * size - OVERHEAD + 1), false);
    assert.equal(stock.hasRoom('a', 10 * size), true, 'it is kept already');
    for (const url of ['b', 'c']) stock.set(url, NOTHING);
    assert.equal(stock.hasRoom('d', 0), true);
    stock.set('d', NOTHING);
    assert.equal(stock.hasRoom('e', 0), false);
  });

  test('beyond the addresses of an issuer drops one without a list, then the one not needed for longest', () => {
    const stock = stockOf({ totalBytes: 1_000_000 });
    const limit = 'certificates name more revocation lists than revocation.addressesPerIssuer (2) allows';
    for (const url of ['a', 'b']) {
      stock.set(url, filled());
      stock.name(url, 'ONE');
    }
    assert.equal(stock.surplus, undefined);
    stock.name('c', 'ONE');
    assert.deepEqual(stock.surplus, { dropped: 'c', limit });
    stock.set('c', filled());
    stock.name('a', 'ONE');
    assert.deepEqual(stock.surplus, { dropped: 'b', limit });
    const release = stock.hold(['b', 'b']);
    assert.deepEqual(stock.surplus, { dropped: 'c', limit });
    stock.hold(['b'])();
    assert.deepEqual(stock.surplus, { dropped: 'c', limit }, 'another verdict waits for it');
    release();
    assert.deepEqual(stock.surplus, { dropped: 'b', limit });
  });

  test('beyond the octets drops a list that nobody here named, then one of the issuer with the most', () => {
    const stock = stockOf({ addressesPerIssuer: 100 });
    const limit = `certificates name more revocation lists than revocation.totalBytes (${3 * size}) allows`;
    for (const [url, label, count] of [
      ['a', 'ONE', 1],
      ['b', 'TWO', 1],
      ['c', 'TWO', 1],
    ] as const) {
      stock.set(url, filled(count));
      stock.name(url, label);
    }
    stock.name('empty', 'TWO');
    assert.equal(stock.surplus, undefined);
    stock.set('d', filled());
    assert.deepEqual(stock.surplus, { dropped: 'd', limit });
    stock.name('d', 'ONE');
    stock.set('e', filled());
    stock.name('e', 'TWO');
    assert.deepEqual(stock.surplus, { dropped: 'b', limit });
    stock.hold(['b', 'c', 'e']);
    assert.deepEqual(stock.surplus, { dropped: 'a', limit });
    stock.hold(['a', 'd']);
    assert.equal(stock.surplus, undefined, 'verdicts wait for all of them');
  });
});
