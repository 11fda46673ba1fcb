// Administrative commands at a service print and end as they do beside its store.
// Only in test:all: every kind of act
import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, suite, test } from 'node:test';
import { ACTS } from '../../src/operations/admin/acts.ts';
import { writePem } from '../../src/pki/der/pem.ts';
import { makeAuthority } from '../authority.ts';
import { AdminScene } from '../e2e/admin-scene.ts';
import { freePort } from '../free-port.ts';
import { Commands } from './commands.ts';

let scene: AdminScene;
let commands: Commands;
let folder: string;
let server: string;

before(async () => {
  const port = await freePort();
  server = `https://localhost:${port}`;
  scene = await AdminScene.open({ settings: { publicUrl: server }, listeners: [{ tls: true, port }] });
  ({ folder } = scene.service);
  const olga = scene.service.authority.issue({ commonName: 'olga' });
  writeFileSync(join(folder, 'olga.pem'), olga.chain.map(writePem).join(''));
  writeFileSync(join(folder, 'olga.key'), olga.key, { mode: 0o600 });
  writeFileSync(join(folder, 'ca.pem'), scene.service.authority.pem);
  const { publicKey } = generateKeyPairSync('ed25519');
  writeFileSync(join(folder, 'key.pem'), publicKey.export({ type: 'spki', format: 'pem' }));
  for (const id of ['north', 'south'])
    writeFileSync(join(folder, `${id}.pem`), writePem(makeAuthority({ name: 'Other' }).certificate));
  const environment = { XDG_CONFIG_HOME: join(folder, 'config'), XDG_STATE_HOME: join(folder, 'state') };
  commands = new Commands({ isApart: true, environment });
  const proof = ['--certificate', 'olga.pem', '--key', 'olga.key', '--ca', 'ca.pem'];
  const scope = 'tessera:read tessera:operate tessera:manage';
  const login = ['login', '--server', server, '--client-id', 'tessera-cli', '--scope', scope, ...proof];
  const logged = await commands.run(login, { folder });
  assert.equal(logged.status, 0, logged.stderr);
});
after(async () => {
  await commands.close();
  await scene.close();
});

const RULES = ['--when', '/sub=job'];
/** `ID` is another one each way, so that each starts from the same state. */
const LINES: readonly (readonly string[])[] = [
  ['integration', 'add', 'ID', '--scope', 'shop:read', '--refresh', 'no', '--only-group', 'shops'],
  ['integration', 'add', 'ID', '--scope', 'shop:read'],
  ['integration', 'add', 'ID bad', '--scope', 'shop:read'],
  ['integration', 'change', 'ID', '--scope', 'shop:read,write', '--device', 'no'],
  ['integration', 'change', 'nobody', '--scope', 'shop:read'],
  ['integration', 'show', 'ID'],
  ['integration', 'show', 'ID', '--json'],
  ['integration', 'disable', 'ID'],
  ['integration', 'enable', 'ID', '--json'],
  ['resource-server', 'add', 'ID-api', '--audience', 'https://ID.example', '--resource', 'ID'],
  ['resource-server', 'change', 'ID-api', '--name', 'The API', '--json'],
  ['resource-server', 'show', 'ID-api'],
  ['resource-server', 'secret', 'ID-api', '--drop-old'],
  ['resource-server', 'remove', 'ID-api'],
  ['resource-server', 'remove', 'ID-api', '--yes'],
  ['token-issuer', 'add', 'ID-ci', '--issuer', 'https://ID.example', ...RULES],
  ['token-issuer', 'change', 'ID-ci', '--audience', 'us', '--json'],
  ['token-issuer', 'show', 'ID-ci'],
  ['token-issuer', 'remove', 'ID-ci'],
  ['issuer', 'add', 'ID-ca', 'ID.pem', '--identity-from', 'common-name'],
  ['issuer', 'change', 'ID-ca', '--profile', 'strict', '--json'],
  ['issuer', 'show', 'ID-ca'],
  ['issuer', 'remove', 'ID-ca'],
  ['identity', 'add', 'ID-person', '--no-password', '--email', 'ID@example.com'],
  ['identity', 'change', 'ID-person', '--group', 'shops', '--json'],
  ['identity', 'show', 'ID-person'],
  ['identity', 'disable', 'ID-person'],
  ['identity', 'remove', 'ID-person', '--yes'],
  ['integration', 'change', 'ID', '--secret', 'yes', '--json'],
  ['integration', 'secret', 'ID', '--drop-old'],
  ['integration', 'key', 'add', 'ID', 'key.pem', '--json'],
  ['integration', 'key', 'list', 'ID', '--json'],
  ['integration', 'key', 'remove', 'ID', 'none'],
  ['explain', 'scope', 'ID', 'shop:everything'],
  ['explain', '691c8a3e07f10003'],
  ['refusals', '--integration', 'ID'], // of none: beside the store they are a minute late
  ['grant', 'list', '--certificate', 'abc'],
  ['grant', 'list', '--identity', 'nobody'],
  ['grant', 'show', '0000'],
  ['grant', 'revoke', '--integration', 'ID', '--yes'],
  ['events', '--identity', 'nobody'],
  ['events', '--type', 'reused'],
  ['integration', 'remove', 'ID'],
  ['integration', 'remove', 'ID', '--yes'],
  ['integration', 'list'],
  ['integration', 'list', '--json'],
  ['identity', 'list'],
  ['grant', 'list'],
  ['events', '--limit', '5', '--csv'],
  ['status', '--json'],
  ['export'],
  ['diff', '-f', 'objects.yaml'],
];

suite('commands at a service', () => {
  test('the same output and the same exit codes as beside the store', async () => {
    writeFileSync(join(folder, 'objects.yaml'), 'integrations:\n  from-file: { scope: a:read }\n');
    const way = async (line: readonly string[], id: string, more: readonly string[]) => {
      const args = [...more, ...line.map((word) => word.replaceAll('ID', id))];
      const { status, printed, stderr } = await commands.run(args, { folder });
      const plain = (text: string) =>
        text
          .replaceAll(/north|south/g, 'ID')
          .replaceAll(`--server ${server} `, '')
          .replaceAll(/local:\{[^}]+\}/g, 'local:{…}')
          .replaceAll(/(?:[0-9A-F]{2}:){31}[0-9A-F]{2}/g, '…');
      return { status, printed: plain(printed), stderr: plain(stderr) };
    };
    for (const line of LINES) {
      const beside = await way(line, 'north', ['--config', 'tessera.yaml']);
      const remote = await way(line, 'south', ['--server', server]);
      assert.deepEqual(remote, beside, line.join(' '));
      assert.notEqual(beside.status, 70, beside.stderr);
    }
  });

  test('the commands of docs/administration.md work', async () => {
    writeFileSync(join(folder, 'corp-ca.pem'), writePem(makeAuthority({ name: 'Corp' }).certificate));
    const lines = readFileSync('docs/administration.md', 'utf8').match(/^tessera .+$/gm) ?? [];
    assert.ok(lines.length > 10, `${lines.length} commands`);
    for (const line of lines) {
      const [command = '', file] = line.replaceAll('https://tokens.example.com', server).split(' > ');
      const words = command.split(' ').slice(1);
      const more = words[0] === 'login' ? [] : words.includes('--server') ? [] : ['--config', 'tessera.yaml'];
      const { status, printed, stderr } = await commands.run([...words, ...more], { folder });
      if (file !== undefined) writeFileSync(join(folder, file), printed);
      const isUnknown = line.includes('1F:9A') && stderr.includes('no grant is by the certificate');
      assert.ok(status === 0 || isUnknown, `${line}: ${status} ${stderr}`);
    }
  });

  test('remedies name the service, and mistakes are named as what they are', async () => {
    const at = ['--server', server.replace('https://', '')];
    const said = async (...words: string[]) => (await commands.run([...at, ...words], { folder })).stderr;
    assert.match(await said('grant', 'show', '0000'), /tessera --server localhost:\d+ grant list/);
    assert.match(
      await said('explain', '691c8a3e07f10003'),
      /no refusal or event.* yet\n {2}Refusals appear within seconds, in a flood within a minute; of equal ones, the last\. The log has all/,
    );
    writeFileSync(join(folder, 'wrong.yaml'), 'integrations:\n  from-file: { scpoe: a:read }\n');
    assert.match(await said('diff', '-f', 'wrong.yaml'), /scpoe is not a known member: did you mean scope\?/);
    writeFileSync(join(folder, 'broken.yaml'), 'integrations: [\n');
    const broken = await said('diff', '-f', 'broken.yaml');
    assert.deepEqual([/the file cannot be used/.test(broken), /configuration/.test(broken)], [true, false], broken);
    const { printed } = await commands.run([...at, 'events', '--by', 'olga', '--json'], { folder });
    const authors = printed
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).detail.by.as);
    assert.deepEqual([...new Set(authors)], ['identity']);
  });

  test('every act of the table has a command', async () => {
    const { printed } = await commands.run(['--help'], { folder });
    for (const { command } of Object.values(ACTS))
      assert.match(printed, new RegExp(`^  ${command.split(/[ ,]/)[0]}\\b`, 'm'), command);
  });

  test('a command that must stay on the machine says so, and a wrong login is refused', async () => {
    const stays = await commands.run(['--server', server, 'keyring', 'list'], { folder });
    assert.deepEqual([stays.status, /works beside the store only/.test(stays.stderr)], [2, true]);
    writeFileSync(join(folder, 'job.jwt'), 'a.b.c');
    const at = ['token-issuer', 'explain', 'job.jwt', '--at', '2027-01-15T08:01:00Z'];
    const later = await commands.run(['--server', server, ...at], { folder });
    assert.deepEqual([later.status, /--at works beside the store only/.test(later.stderr)], [2, true]);
    const elsewhere = await commands.run(['--server', 'https://else.example', 'grant', 'list'], { folder });
    assert.deepEqual([elsewhere.status, /the login is at/.test(elsewhere.stderr)], [8, true]);
    const scope = await commands.run(['login', '--server', server, '--scope', 'tessera:admin'], { folder });
    assert.deepEqual([scope.status, /tessera:read, tessera:operate, tessera:manage/.test(scope.stderr)], [2, true]);
    const nobody = await commands.run(['--login', 'nobody', 'grant', 'list'], { folder });
    assert.equal(nobody.status, 8);
  });
});
