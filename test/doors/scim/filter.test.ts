// Filters of a directory that pushes, and the paths of its changes: those that cannot be read.
import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import type { TestService } from '../../e2e/service.ts';
import { PATCH_OP, type Scim, scimAt, secretFor, startPushed, USER } from './pushing-service.ts';

let service: TestService;
let entra: Scim;

before(async () => {
  service = await startPushed();
  entra = scimAt(service, 'entra', await secretFor(service, 'entra-scim'));
});
after(() => service.stop());

/** Texts in quotes that are no JSON, or that a store cannot have. */
const ODD_TEXTS = ['\\x', '\\', '\\u12', '\\u{61}', '\\0', 'a\nb', 'a\tb', '\\ud800\\', "\\'"];
const UNUSUAL_TEXTS = ['', '\\u0000', '\\ud800', '\\\\', '\\"', '__proto__', '%', "' or 1=1 --", '*)(uid=*'];

suite('a filter', () => {
  for (const path of ['/Users', '/Groups'])
    test(`at ${path} that cannot be read is refused as one, and any text is looked for [RFC 7644 3.4.2.2]`, async () => {
      const name = path === '/Users' ? 'userName' : 'displayName';
      const asked = async (filter: string) => entra.send('GET', `${path}?filter=${encodeURIComponent(filter)}`);
      for (const text of ODD_TEXTS)
        for (const attribute of [name, 'externalId']) {
          const { status, body } = await asked(`${attribute} eq "${text}"`);
          assert.deepEqual([status, body['scimType']], [400, 'invalidFilter'], JSON.stringify(text));
        }
      for (const filter of [
        '',
        '"',
        'eq',
        `${name} eq`,
        `${name} eq x`,
        `${name} eq 1`,
        `${name} eq null`,
        `${name} eq "a`,
      ])
        assert.ok((await asked(filter)).status < 500, filter);
      for (const text of UNUSUAL_TEXTS)
        for (const attribute of [name, 'externalId']) {
          const { status, body } = await asked(`${attribute} eq "${text}"`);
          assert.deepEqual([status, body['totalResults']], [200, 0], JSON.stringify(text));
        }
    });

  test('in the path of a change that cannot be read is refused, and changes nothing [RFC 7644 3.5.2]', async () => {
    const { body: user } = await entra.send('POST', '/Users', {
      schemas: [USER],
      userName: 'odd@corp.example',
      externalId: 'oid-of-odd',
      active: true,
    });
    const { body: group } = await entra.send('POST', '/Groups', { displayName: 'odd' });
    for (const text of ODD_TEXTS)
      for (const operation of [
        { op: 'replace', path: `emails[type eq "${text}"].value`, value: 'x@corp.example' },
        { op: 'add', path: `emails[type eq "${text}"]`, value: { value: 'x@corp.example' } },
        { op: 'remove', path: `members[value eq "${text}"]` },
      ])
        for (const at of [`/Users/${user.id}`, `/Groups/${group.id}`]) {
          const { status } = await entra.send('PATCH', at, { schemas: [PATCH_OP], Operations: [operation] });
          // Without an end of the text, it is a path that is not known, which is ignored.
          if (/^(?:[^\\]|\\.)*$/.test(text)) assert.equal(status, 400, `${at} ${JSON.stringify(operation)}`);
          assert.ok(status < 500);
        }
    assert.deepEqual((await entra.send('GET', `/Users/${user.id}`)).body, user);
  });
});
