// Files that exist, but that this user may not open.
// Own process: changes its user.
import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite, type TestContext, test } from 'node:test';
import { examineServerCertificates } from '../../src/cli/doctor/certificates.ts';
import { examineNamedFiles } from '../../src/cli/doctor/examine.ts';
import { examineFiles } from '../../src/cli/doctor/files.ts';
import { loadConfig } from '../../src/config/load.ts';
import { openSqlite } from '../../src/store/sqlite/open.ts';
import type { StoreUnusable } from '../../src/store/store.ts';
import { systemClock } from '../../src/system.ts';
import { firstKey } from '../../src/tokens/keyring.ts';
import { formatKeyring } from '../../src/tokens/keyring-text.ts';
import { makeAuthority } from '../authority.ts';
import { issueServer } from '../e2e/service.ts';
import { temporaryFolder } from '../temporary-folder.ts';

const NOBODY = 65_534;
const MAY_NOT = /: this user may not open it$/;

/** Root may open everything, so these tests run as somebody else. */
if (process.getuid?.() === 0) process.setuid?.(NOBODY);

function installation(t: TestContext) {
  const folder = temporaryFolder('files');
  const data = join(folder, 'data');
  mkdirSync(data, { mode: 0o700 });
  t.after(() => {
    chmodSync(data, 0o700);
    rmSync(folder, { recursive: true });
  });
  const server = issueServer(makeAuthority());
  const files = {
    'server.crt': server.pem,
    'server.key': server.key,
    'keyring.json': formatKeyring(firstKey()),
    'tessera.db': '',
  };
  for (const [name, text] of Object.entries(files)) writeFileSync(join(data, name), text, { mode: 0o600 });
  const config = loadConfig({ file: undefined, env: {}, sets: [`dataFolder=${data}`] });
  const lock = (name: string) => chmodSync(join(data, name), 0);
  return { data, config, lock };
}

suite('a file that this user may not open', () => {
  test('is good news only while it can be read', (t) => {
    const { config } = installation(t);
    const findings = [...examineFiles(config), ...examineServerCertificates(config)];
    assert.deepEqual(
      findings.filter(({ verdict }) => verdict !== 'good'),
      [],
    );
  });

  for (const [name, about] of [
    ['server.key', 'key of 127.0.0.1:8443'],
    ['server.crt', 'certificate of 127.0.0.1:8443'],
    ['keyring.json', 'keyring file'],
    ['tessera.db', 'store file'],
  ] as const) {
    test(`${name} is reported by doctor and by config check, and the owner is the remedy`, (t) => {
      const { config, lock } = installation(t);
      lock(name);
      for (const findings of [
        [...examineFiles(config), ...examineServerCertificates(config)],
        examineNamedFiles(config),
      ]) {
        const bad = findings.filter(({ verdict }) => verdict !== 'good');
        assert.deepEqual(
          bad.map((finding) => [finding.verdict, finding.about]),
          [['bad', about]],
        );
        assert.match(bad[0]?.says ?? '', MAY_NOT);
        assert.match(bad[0]?.todo ?? '', /^Run this as the user that runs the service\./);
      }
    });
  }

  test('one that this user may not write is named by the store itself', async (t) => {
    const { data } = installation(t);
    const path = join(data, 'tessera.db');
    writeFileSync(path, 'x');
    chmodSync(path, 0o400);
    await assert.rejects(openSqlite({ path, clock: systemClock.now }), ({ message, todo }: StoreUnusable) => {
      assert.match(message, /^this user may not read and write .*tessera\.db \(EACCES\)$/);
      assert.match(todo, /must belong to that user: chown/);
      return true;
    });
  });

  test('nothing in a folder of another user is called missing', (t) => {
    const { data, config } = installation(t);
    chmodSync(data, 0);
    const findings = examineNamedFiles(config);
    assert.equal(findings.length, 5);
    for (const { verdict, says } of findings) {
      assert.equal(verdict, 'bad');
      assert.match(says, MAY_NOT);
    }
  });
});

suite('a file that is there, but of no use', () => {
  test('a folder in the place of a file is reported', (t) => {
    const { data, config } = installation(t);
    for (const name of ['keyring.json', 'tessera.db']) {
      rmSync(join(data, name));
      mkdirSync(join(data, name), { mode: 0o700 });
    }
    const bad = examineNamedFiles(config).filter(({ verdict }) => verdict === 'bad');
    assert.deepEqual(
      bad.map(({ about, says }) => [about, says.replace(data, '')]),
      [
        ['keyring file', '/keyring.json is a folder'],
        ['store file', '/tessera.db is a folder'],
      ],
    );
  });

  test('a key that is none, or a folder, is called so', (t) => {
    const { data, config } = installation(t);
    const path = join(data, 'server.key');
    const says = () =>
      examineServerCertificates(config).flatMap((found) => (found.verdict === 'bad' ? [found.says] : []));
    writeFileSync(path, 'hello');
    assert.deepEqual(says(), [`${path} is not a PEM private key without a passphrase`]);
    rmSync(path);
    mkdirSync(path, { mode: 0o700 });
    assert.deepEqual(says(), [`${path} is a folder`]);
  });

  test('a certificate is judged also if its key is missing', (t) => {
    const { data, config } = installation(t);
    const bad = () =>
      examineServerCertificates(config).flatMap((found) => (found.verdict === 'bad' ? [found.says] : []));
    const replaceCertificate = (notBefore: string, notAfter: string) =>
      writeFileSync(join(data, 'server.crt'), makeAuthority().issue({ notBefore, notAfter }).pem);
    rmSync(join(data, 'server.key'));
    replaceCertificate('2020-01-01', '2021-01-01');
    assert.match(bad().join('\n'), /^expired [0-9]+ days ago\n.*server\.key/s);
    replaceCertificate('2090-01-01', '2091-01-01');
    assert.match(bad().join('\n'), /^not valid before .*2090.*\n.*server\.key/s);
    writeFileSync(join(data, 'server.crt'), 'hello');
    assert.match(bad().join('\n'), /server\.crt is not a PEM certificate\n.*server\.key/);
  });

  test('a certificate for another name is refused by callers, unless a proxy is in between', (t) => {
    const { data } = installation(t);
    const sets = [`dataFolder=${data}`, 'publicUrl=https://other.example'];
    const bad = (...more: string[]) =>
      examineServerCertificates(loadConfig({ env: {}, sets: [...sets, ...more] })).flatMap(({ verdict, says }) =>
        verdict === 'bad' ? says : [],
      );
    assert.match(bad().join('\n'), /^it is for DNS:localhost.* and callers connect to other\.example$/);
    assert.deepEqual(bad('proxies.addresses=[10.0.0.0/24]'), []);
  });

  for (const [what, text, mode, says] of [
    ['damaged', '{"keys": [', 0o600, /keyring\.json is damaged/],
    ['readable for others', formatKeyring(firstKey()), 0o644, /others may read the keyring/],
  ] as const) {
    test(`a keyring that is ${what} fails config check, as it fails a start`, (t) => {
      const { data, config } = installation(t);
      writeFileSync(join(data, 'keyring.json'), text);
      chmodSync(join(data, 'keyring.json'), mode);
      const [finding, ...others] = examineNamedFiles(config).filter(({ verdict }) => verdict !== 'good');
      assert.deepEqual(others, []);
      assert.deepEqual([finding?.verdict, finding?.about], ['bad', 'keyring file']);
      assert.match(finding?.says ?? '', says);
    });
  }
});
