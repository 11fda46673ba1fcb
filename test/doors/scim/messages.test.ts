// What the door reads of a message: operations, attributes, filters and pages, each with its value inside and outside.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { isWanted, paged, readFilter, trimmed, worded } from '../../../src/doors/scim/answers.ts';
import { patched, readOperations } from '../../../src/doors/scim/patch.ts';
import { readGroup, readId, readMembers, readUser } from '../../../src/doors/scim/resources.ts';

const WORK = { value: 'ada@work', type: 'work', primary: true };
const HOME = { value: 'ada@home', type: 'home' };
const ADA = { userName: 'ada', externalId: '1', displayName: 'Ada', active: true, emails: [WORK, HOME] };
const ID = '0123456789abcdef'.repeat(2);
const name = (value: unknown) => ({ op: 'replace', path: 'displayName', value });
const emails = (op: string, path: string, value?: unknown) => ({ op, path: `emails${path}`, value });
const operationsOf = (...Operations: readonly object[]) => readOperations({ Operations }) ?? assert.fail();
function userAfter(...operations: readonly object[]) {
  const after = patched(ADA, operationsOf(...operations));
  return after.ok ? readUser(after.value) : after;
}

suite('operations [RFC 7644 3.5.2]', () => {
  test('that cannot be read are refused, all of them together', () => {
    for (const bad of [
      ...[null, 'x', 5, [], {}, { op: 5 }, { op: 'move', path: 'displayName' }, { path: 'displayName', value: 'x' }],
      ...[{ op: 'remove' }, { op: 'remove', value: { displayName: 'x' } }, { op: 'add', value: 'x' }, { op: 'add' }],
      ...['', '[', '5', ' displayName', 'emails[type eq "\\x"].value'].map((path) => ({ op: 'add', path, value: 'x' })),
    ])
      assert.equal(readOperations({ Operations: [name('x'), bad] }), undefined, JSON.stringify(bad));
    for (const Operations of [undefined, null, name('x'), 'x', []])
      assert.equal(readOperations({ Operations }), undefined);
    assert.equal(
      readOperations({ Operations: [{ op: 'add', value: { '[': 'x' } }] })?.length,
      0,
      'names are not paths',
    );
  });

  test('are 1,000 at most', () => {
    assert.equal(readOperations({ Operations: Array(1_000).fill(name('x')) })?.length, 1_000);
    assert.equal(readOperations({ Operations: Array(1_001).fill(name('x')) }), undefined);
  });

  const { displayName: _, ...unnamed } = ADA;
  for (const [what, operation, after] of [
    ['a value', name('A'), { ...ADA, displayName: 'A' }],
    ['a name in other letters', { op: 'Add', path: 'DISPLAYNAME', value: 'A' }, { ...ADA, displayName: 'A' }],
    [
      'a whole path',
      { ...name('A'), path: 'urn:ietf:params:scim:schemas:core:2.0:User:displayName' },
      { ...ADA, displayName: 'A' },
    ],
    [
      'values without a path',
      { op: 'add', value: { displayName: 'A', active: false, title: 'x' } },
      { ...ADA, displayName: 'A', active: false },
    ],
    ['no value', { op: 'remove', path: 'displayName', value: 'x' }, unnamed],
    ['another attribute', { op: 'add', path: 'name.givenName', value: 'A' }, ADA],
    [
      'an extension',
      { op: 'add', path: 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User:manager', value: 'A' },
      ADA,
    ],
    ['all e-mail addresses', emails('replace', '', [HOME]), { ...ADA, emails: [HOME] }],
    ['all of them by one', emails('replace', '', HOME), { ...ADA, emails: [HOME] }],
    ['all of them by null', emails('replace', '', null), { ...ADA, emails: [] }],
    ['one more', emails('add', '', [{ value: 'x' }]), { ...ADA, emails: [WORK, HOME, { value: 'x' }] }],
    ['none more', emails('add', ''), ADA],
    ['none of them', emails('remove', ''), { ...ADA, emails: [] }],
    ['not the one at work', emails('remove', '[type eq "work"]'), { ...ADA, emails: [HOME] }],
    [
      'the one at work',
      emails('replace', '[type eq "work"].value', 'x'),
      { ...ADA, emails: [{ ...WORK, value: 'x' }, HOME] },
    ],
    [
      'the primary one',
      emails('replace', '[primary eq true].value', 'x'),
      { ...ADA, emails: [{ ...WORK, value: 'x' }, HOME] },
    ],
    [
      'all facts of one',
      emails('replace', '[type eq "work"]', { value: 'x' }),
      { ...ADA, emails: [{ ...WORK, value: 'x' }, HOME] },
    ],
    [
      'one that was missing',
      emails('add', '[type eq "old"].value', 'x'),
      { ...ADA, emails: [WORK, HOME, { type: 'old', value: 'x' }] },
    ],
    [
      'one fact of one',
      emails('remove', '[type eq "work"].primary'),
      { ...ADA, emails: [{ value: 'ada@work', type: 'work' }, HOME] },
    ],
    ['one without its value', emails('remove', '[type eq "work"].value', 'x'), { ...ADA, emails: [HOME] }],
    ['nothing of one that is missing', emails('remove', '[type eq "old"].value'), ADA],
    ['all without their value', emails('remove', '.value'), { ...ADA, emails: [] }],
    ['and a removal adds none', emails('remove', '.Value', { value: 'x' }), { ...ADA, emails: [] }],
    ['all by a value of null', emails('replace', '.value', null), { ...ADA, emails: [] }],
    [
      'none that counts',
      emails('remove', '.primary', true),
      { ...ADA, emails: [{ value: 'ada@work', type: 'work' }, HOME] },
    ],
    [
      'no types',
      emails('remove', '.type'),
      { ...ADA, emails: [{ value: 'ada@work', primary: true }, { value: 'ada@home' }] },
    ],
    ['an unknown fact', emails('remove', '.display', HOME), ADA],
    ['a fact of a text', { op: 'remove', path: 'displayName.x' }, ADA],
    [
      'the one at work by a list of it',
      emails('replace', '[type eq "work"]', [{ value: 'x' }]),
      { ...ADA, emails: [{ ...WORK, value: 'x' }, HOME] },
    ],
    ['the one at work by null', emails('replace', '[type eq "work"]', null), { ...ADA, emails: [HOME] }],
    ['the one at work by nothing', emails('replace', '[Type eq "work"]', []), { ...ADA, emails: [HOME] }],
    ['no more at work', emails('add', '[type eq "work"]', null), ADA],
    ['none at an old one', emails('replace', '[type eq "old"]', null), ADA],
  ] as const)
    test(`${what}: the user afterwards`, () => {
      const read = userAfter(operation);
      assert.deepEqual(read.ok && read.value, after);
    });

  for (const [attribute, operation] of [
    ['userName', { op: 'remove', path: 'userName' }],
    ['active', { op: 'remove', path: 'active' }],
    ['active', { op: 'replace', path: 'active', value: null }],
    ['displayName', name(5)],
    ['emails', emails('replace', '', 'x')],
    ['emails', emails('replace', '.value', 'x')],
    ['emails', emails('add', '', ['x', null])],
    ['emails', emails('replace', '[type eq "work"]', 'x')],
    ['emails', emails('add', '[type eq "old"]', 'x')],
    ['emails', emails('add', '.value', { value: 'x' })],
    ['emails', emails('replace', '[type eq "work"]', [{ value: 'x' }, HOME])],
    ['emails', emails('replace', '[type eq "work"]', [null])],
    ['emails', emails('add', '', Array(19).fill({}))],
  ] as const)
    test(`${JSON.stringify(operation)} is refused, and no address is lost by it`, () => {
      const read = userAfter(operation, emails('add', '[type eq "work"].value', 'y'));
      assert.deepEqual(read, { ok: false, refusal: { attribute } });
    });

  test('never work on more than 20 addresses, or on facts that are not kept', () => {
    let seen = 0;
    const next = {
      ...operationsOf(emails('add', '', []))[0],
      get value() {
        return seen++;
      },
    };
    for (const one of [emails('add', '', Array(19).fill({})), emails('replace', '', Array(21).fill(HOME))]) {
      const after = patched(ADA, [...operationsOf(one), next as never]);
      assert.deepEqual([after, seen], [{ ok: false, refusal: { attribute: 'emails' } }, 0]);
    }
    const one: object = Object.fromEntries(Array.from({ length: 100 }, (_, at) => [`f${at}`, at]));
    for (const path of ['', '[type eq "work"]']) {
      const after = patched(ADA, operationsOf(emails('add', path, { ...one, value: 'x' })));
      assert.doesNotMatch(JSON.stringify(after), /f99/);
    }
    const full = userAfter(emails('add', '', Array(18).fill(HOME)), ...Array(999).fill(emails('add', '', [])));
    assert.equal(full.ok && full.value.emails.length, 20);
  });

  test('of users change nothing of a group', () => {
    const after = patched({ displayName: 'x' }, operationsOf(emails('add', '', [HOME]), name('Ops')));
    assert.partialDeepStrictEqual(after.ok && readGroup(after.value, 'corp'), {
      value: { displayName: 'Ops', members: [] },
    });
  });
});

suite('attributes [RFC 7643]', () => {
  /** By the attribute that is refused. */
  type Given = Readonly<Record<string, readonly object[]>>;
  const assertFlaws = (all: Given, read: (given: object) => ReturnType<typeof readUser | typeof readGroup>) => {
    for (const [attribute, each] of Object.entries(all))
      for (const given of each) {
        const found = read(given);
        assert.equal(found.ok ? 'none' : found.refusal.attribute, attribute, JSON.stringify(given).slice(0, 80));
      }
  };
  const [longest, tooLong] = ['x'.repeat(1_024), 'x'.repeat(1_025)];

  test('of a user have a form and a length', () => {
    const many = (count: number) => Array(count).fill(HOME);
    const good = [[], null, undefined, many(20), [{}], [{ value: null, type: 'work' }]];
    const bad = [
      'x',
      {},
      many(21),
      ['x'],
      [null],
      [{ value: 5 }],
      [{ value: tooLong }],
      [{ value: 'x', type: 5 }],
      [{ value: 'x', primary: 'no' }],
    ];
    const flags = [true, false, 'true', 'False', 'TRUE'].map((active) => ({ active }));
    assertFlaws(
      {
        none: [
          { userName: 'a' },
          { userName: longest },
          { displayName: longest },
          ...flags,
          ...good.map((all) => ({ emails: all })),
        ],
        userName: ['', tooLong, 5, undefined, null, ['ada']].map((userName) => ({ userName })),
        externalId: [tooLong, 5, ['x'], false].map((externalId) => ({ externalId })),
        active: ['maybe', 'truest', '', 1, null, undefined, ['true']].map((active) => ({ active })),
        emails: bad.map((all) => ({ emails: all })),
      },
      (given) => readUser({ ...ADA, ...given }),
    );
  });

  test('without a value are absent, and booleans may be text', () => {
    const read = (given: object) => {
      const user = readUser({ ...ADA, ...given });
      return user.ok && user.value;
    };
    for (const nothing of [undefined, null, ''])
      assert.deepEqual(read({ displayName: nothing, externalId: nothing }), {
        userName: 'ada',
        active: true,
        emails: ADA.emails,
      });
    assert.partialDeepStrictEqual(read({ active: 'FALSE' }), { active: false });
    const odd = [{ value: '' }, { value: 'x', type: null, primary: 'True' }, { value: 'y', type: '', primary: '' }];
    assert.partialDeepStrictEqual(read({ emails: odd }), { emails: [{ value: 'x', primary: true }, { value: 'y' }] });
    assert.deepEqual(Object.keys((read({ emails: odd }) || ADA).emails[1] ?? {}), ['value']);
  });

  test('of a group have a form, and its members are ids of this directory', () => {
    assertFlaws(
      {
        none: [{}, { members: null }, { members: '' }, { members: [] }, { members: [{ value: ID }] }],
        displayName: ['', 5, tooLong, undefined].map((displayName) => ({ displayName })),
        externalId: [5, ['x'], tooLong].map((externalId) => ({ externalId })),
        members: [0, false, 'x', { value: ID }, [null], [{}], [ID], [{ value: ID }, { value: 'x' }]].map((members) => ({
          members,
        })),
      },
      (given) => readGroup({ displayName: 'Ops', ...given }, 'corp'),
    );
    const read = readGroup({ displayName: 'Ops', externalId: 'e', members: [{ value: ID }], title: 'x' }, 'corp');
    assert.deepEqual(read.ok && read.value, { displayName: 'Ops', externalId: 'e', members: [`corp:${ID}`] });
    assert.deepEqual(readMembers([{ value: ID }], 'corp'), [`corp:${ID}`]);
    for (const id of [ID.slice(1), `${ID}0`, ID.toUpperCase(), [ID], undefined])
      assert.equal(readId(id, 'corp'), undefined);
  });
});

suite('a query', () => {
  test('has one filter, of an attribute that equals a text [RFC 7644 3.4.2.2]', () => {
    const read = (given: unknown) => readFilter(given, ['userName', 'externalId']);
    for (const none of [undefined, '']) assert.equal(read(none), undefined);
    assert.deepEqual(read(' USERNAME  Eq "a b" '), { by: 'userName', value: 'a b' });
    for (const [text, value] of [
      ['', ''],
      ['\\u0000', '\0'],
      ['\\"\\\\', '"\\'],
      ['__proto__', '__proto__'],
      ["' or 1=1 --", "' or 1=1 --"],
    ])
      assert.deepEqual(read(`externalId eq "${text}"`), { by: 'externalId', value });
    for (const text of ['\\x', '\\', '\\u12', '\\u{61}', '\\0', 'a\nb', 'a\tb', '\\ud800\\', "\\'"])
      assert.equal(read(`userName eq "${text}"`), 'malformed', JSON.stringify(text));
    for (const bad of [
      'userName co "a"',
      'password eq "a"',
      'userName eq 1',
      'userName eq null',
      'userName eq "a',
      'userName eq "a" or',
      ['userName eq "a"'],
      5,
    ])
      assert.equal(read(bad), 'malformed', JSON.stringify(bad));
  });

  test('gets a page: from the first, 200 at most, and of all it says how many [RFC 7644 3.4.2.4]', async () => {
    const all = Array.from({ length: 205 }, (_, n) => n + 1);
    const page = async (query: object, rows = all) => {
      const found = await paged(rows, { query } as never);
      return [found.startIndex, found.page[0], found.page.length, found.total];
    };
    for (const startIndex of [undefined, '1', '0', '-7', 'x', '1.5', '-Infinity'])
      assert.deepEqual(await page({ startIndex }), [1, 1, 200, 205], startIndex);
    for (const count of [undefined, '200', '201', 'x', '1e99'])
      assert.deepEqual(await page({ count }), [1, 1, 200, 205], count);
    for (const count of ['0', '-1']) assert.deepEqual(await page({ count }), [1, undefined, 0, 205], count);
    assert.deepEqual(await page({ startIndex: '3', count: '2' }), [3, 3, 2, 205]);
    assert.deepEqual(await page({ startIndex: '205' }), [205, 205, 1, 205]);
    assert.deepEqual(await page({ count: '1.5' }), [1, 1, 1, 205]);
    assert.deepEqual(await page({ startIndex: '206' }), [206, undefined, 0, 205]);
    for (const startIndex of ['9007199254740992', '1e99', 'Infinity'])
      assert.deepEqual(await page({ startIndex }), [2 ** 53 - 1, undefined, 0, 205], startIndex);
    assert.deepEqual(await page({}, []), [1, undefined, 0, 0]);
  });

  test('chooses attributes; some are always there [RFC 7644 3.9]', () => {
    const user = { schemas: ['s'], id: '1', userName: 'ada', displayName: 'Ada', meta: {} };
    const shown = (query: object) => Object.keys(trimmed(user, query as never)).join(' ');
    assert.equal(shown({}), 'schemas id userName displayName meta');
    assert.equal(shown({ attributes: 'USERNAME' }), 'schemas id userName meta');
    assert.equal(
      shown({ attributes: 'x, displayName', excludedAttributes: 'displayName' }),
      'schemas id displayName meta',
    );
    assert.equal(shown({ excludedAttributes: 'id,meta,displayname' }), 'schemas id userName meta');
    assert.deepEqual(trimmed({ totalResults: 1, Resources: [user] }, { excludedAttributes: 'userName' }), {
      ...{ totalResults: 1, Resources: [{ schemas: ['s'], id: '1', displayName: 'Ada', meta: {} }] },
    });
    assert.ok(isWanted('members', {}) && !isWanted('members', { excludedAttributes: ['a', 'members'] }));
  });
});

test('a refusal says which kind it is [RFC 7644 3.12]', () => {
  const schemas = ['urn:ietf:params:scim:api:messages:2.0:Error'];
  assert.deepEqual(worded('unknown'), {
    status: 404,
    body: { schemas, status: '404', detail: 'There is no such resource.' },
  });
  for (const [reason, status, scimType] of [
    ['exists', 409, 'uniqueness'],
    ['id-missing', 400, 'invalidValue'],
    ['id-changed', 400, 'mutability'],
    ['name-malformed', 400, 'invalidValue'],
    ['member-unknown', 400, 'invalidValue'],
    ['groups-too-many', 400, 'invalidValue'],
    [{ attribute: 'active' }, 400, 'invalidValue'],
  ] as const)
    assert.partialDeepStrictEqual(worded(reason), { status, body: { schemas, status: String(status), scimType } });
});
