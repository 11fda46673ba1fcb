// A whole service and the command, with a directory in the configuration.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { runTessera } from '../../cli/command.ts';
import { Visitor } from '../../doors/pages/visitor.ts';
import { json } from '../../e2e/caller.ts';
import { startService, type TestService } from '../../e2e/service.ts';
import { CERTIFICATE, CLIENT, SCOPE } from '../../e2e/steps.ts';
import { addPerson, dnOf, type Slapd, startSlapd } from './slapd.ts';

let slapd: Slapd;
let service: TestService;

before(async () => {
  slapd = await startSlapd();
  for (const name of ['carol', 'dora']) await addPerson(slapd, name);
  const { timeoutMs: _, recheckAfter, trustFor, ...directory } = slapd.settings;
  const directories = [{ ...directory, recheckAfter: '10s', trustFor: `${trustFor}s`, timeout: '2s' }];
  assert.equal(recheckAfter, 300);
  service = await startService({ settings: { directories }, issuers: [{ directories: ['corp'] }] });
});

after(async () => {
  await service.stop();
  await slapd.stop();
});

async function authorize(commonName: string) {
  const caller = service.caller(service.authority.issue({ commonName }));
  try {
    return await caller.ask({ path: CERTIFICATE, ...json({ client_id: CLIENT, scope: SCOPE }) });
  } finally {
    caller.close();
  }
}

const visitor = (headers = {}) =>
  new Visitor({ url: `https://localhost:${service.port}`, authority: service.authority.pem }, headers);

test('a certificate gets a grant for the person whom the directory knows by its name', async () => {
  const { status, json: body } = await authorize('carol');
  assert.equal(status, 200);
  assert.match(String(body['identity']), /^corp:\{[0-9a-f-]{36}\}$/);
  assert.equal((await authorize('nobody')).status, 401);
});

test('people of the directory sign in, and find no form for a password that is not kept here', async () => {
  const carol = visitor();
  assert.equal((await carol.signIn('carol', 'the password of carol')).status, 303);
  const account = await carol.get('/account');
  assert.match(account.text, /carol/);
  assert.doesNotMatch(account.text, /Change password/);
  assert.equal((await visitor().signIn('carol', 'wrong')).status, 403);
});

test('the command says step by step what it sees', async () => {
  const run = (...args: string[]) =>
    runTessera(['directory', 'check', ...args, '--config', service.configFile], { folder: service.folder });
  const seen = await run('corp', '--name', 'carol');
  assert.equal(seen.status, 0, seen.printed);
  assert.match(
    seen.printed,
    /^ok {3}ldaps:.*\nok {3}ou=people.*\nok {3}uid: .* is corp:\{.*\}, enabled, groups: none\n$/,
  );
  const absent = await run('corp', '--name', 'nobody');
  assert.match(absent.printed, /FAIL no entry has the name nobody/);
  assert.equal(absent.status, 1);
  assert.match((await run('other')).printed, /no directory other is configured/);
  assert.doesNotMatch(seen.printed + absent.printed, /the password of/);
});

test('the doctor looks at it, and an operator has everybody rechecked', async () => {
  const run = (...args: string[]) => runTessera([...args, '--config', service.configFile], { folder: service.folder });
  assert.match((await run('doctor')).printed, /ok {4}directory corp: ldaps:.* work\nok {4}directory corp: ou=people/);
  const rechecked = await run('directory', 'recheck', 'corp');
  assert.equal(rechecked.printed, '1 identities with living grants, 0 ended\n');
  assert.equal((await run('directory', 'recheck', 'other')).status, 1);
});

test('an account that is disabled ends; a directory that is away is named, and known identities go on', async () => {
  assert.equal((await authorize('dora')).status, 200);
  await slapd.set(dnOf('dora'), 'pwdAccountLockedTime', '000001010000Z');
  const disabled = await authorize('dora');
  assert.deepEqual([disabled.status, disabled.json['Error']], [400, 'unauthorized_client']);
  await slapd.stop();
  try {
    assert.equal((await authorize('carol')).status, 200, 'as last seen');
    const unknown = await authorize('erin');
    assert.deepEqual([unknown.status, unknown.json['Error']], [503, 'invalid_request']);
    assert.match(String(unknown.json['Error_description']), /directory/);
    const page = await visitor().signIn('carol', 'the password of carol');
    assert.equal(page.status, 503);
    assert.match(page.text, /directory cannot be reached/);
    const german = await visitor({ 'accept-language': 'de' }).signIn('carol', 'the password of carol');
    assert.match(german.text, /Verzeichnis Ihrer Firma/);
  } finally {
    await slapd.start();
  }
});
