// `tessera serve` that cannot start: each cause has its own words, a next step and an exit code.
// Only in test:all: processes that are killed, and disks that are full
import assert from 'node:assert/strict';
import {
  appendFileSync,
  chmodSync,
  lstatSync,
  mkdirSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, suite, type TestContext, test } from 'node:test';
import { type Home, issueServer, populatedHome } from '../e2e/service.ts';
import { runTessera } from './command.ts';
import { Commands } from './commands.ts';

const commands = new Commands();
after(() => commands.close());

async function failedStart(t: TestContext, spoil: (home: Home) => unknown, ...flags: readonly string[]) {
  const home = await populatedHome();
  t.after(() => rmSync(home.folder, { recursive: true, force: true }));
  await spoil(home);
  const args = ['--config', home.configFile, ...flags, 'serve'];
  const { status, printed } = await commands.run(args, { folder: home.folder });
  return { status, printed: printed.replaceAll(home.folder, '') };
}

function linkStore(folder: string): void {
  renameSync(join(folder, 'tessera.db'), join(folder, 'real.db'));
  symlinkSync('real.db', join(folder, 'tessera.db'));
}

function stoppedFor(days: number, path: string): void {
  const database = new DatabaseSync(path);
  const seenAt = Math.floor(Date.now() / 1000) - days * 86_400;
  database
    .prepare("INSERT OR REPLACE INTO service_times (name, revision, seen_at) VALUES ('service', 1, ?)")
    .run(seenAt);
  database.close();
}

const FAILURES: readonly (readonly [cause: string, spoil: (home: Home) => unknown, code: number, words: RegExp])[] = [
  [
    'a key of another certificate',
    ({ serverFiles, authority }) => writeFileSync(serverFiles.key, issueServer(authority).key),
    6,
    /^tessera: the key \/server\.key does not belong to the server certificate \/server\.crt\n {2}Put the key there/,
  ],
  [
    'no certificate in the file',
    ({ serverFiles }) => writeFileSync(serverFiles.certificate, 'hello'),
    6,
    /^tessera: \/server\.crt is not a PEM certificate\n {2}Put a PEM certificate there/,
  ],
  [
    'an intermediate that was cut off',
    ({ serverFiles, authority }) => appendFileSync(serverFiles.certificate, authority.pem.slice(0, 200)),
    6,
    /^tessera: TLS cannot use \/server\.crt: .*\n {2}Put the certificate of the server there, followed by/,
  ],
  [
    'no key in the file',
    ({ serverFiles }) => writeFileSync(serverFiles.key, ''),
    6,
    /^tessera: \/server\.key is not a PEM private key without a passphrase\n {2}Put /,
  ],
  [
    'a folder instead of a key',
    ({ serverFiles }) => {
      rmSync(serverFiles.key);
      mkdirSync(serverFiles.key);
    },
    6,
    /^tessera: \/server\.key: it is a folder\n {2}Name the file in tls of the listener/,
  ],
  [
    'no certificate file',
    ({ serverFiles }) => rmSync(serverFiles.certificate),
    6,
    /^tessera: \/server\.crt: there is no such file\n {2}Put the server certificate and its key there/,
  ],
  [
    'a key that others may read',
    ({ folder }) => chmodSync(join(folder, 'keyring.json'), 0o644),
    5,
    /^tessera: .*keyring\.json/,
  ],
  [
    'a keyring that cannot be read',
    ({ folder }) => {
      rmSync(join(folder, 'keyring.json'));
      mkdirSync(join(folder, 'keyring.json'));
    },
    5,
    /^tessera: the keyring \/keyring\.json cannot be read \(EISDIR\)\. It is a folder: put the file there/,
  ],
  [
    'a store that cannot be reached',
    ({ folder }) => {
      rmSync(join(folder, 'tessera.db'));
      symlinkSync('tessera.db', join(folder, 'tessera.db'));
    },
    4,
    /^tessera: \/tessera\.db cannot be reached \(ELOOP\)\n {2}Check the path, and where its links lead/,
  ],
  [
    'a file in the place of a folder',
    ({ folder }) => {
      rmSync(join(folder, 'tessera.db'));
      symlinkSync('keyring.json/tessera.db', join(folder, 'tessera.db'));
    },
    4,
    /^tessera: \/tessera\.db cannot be reached \(ENOTDIR\)\n {2}Part of the path is a file, not a folder/,
  ],
  [
    'a store of a newer release',
    ({ folder }) => {
      const database = new DatabaseSync(join(folder, 'tessera.db'));
      database.exec('PRAGMA user_version = 999');
      database.close();
    },
    4,
    /^tessera: the database has schema 999, newer than this release knows \(\d+\)\n {2}Run the release that upgraded it/,
  ],
  [
    'a folder instead of a store',
    ({ folder }) => {
      rmSync(join(folder, 'tessera.db'));
      mkdirSync(join(folder, 'tessera.db'));
    },
    4,
    /^tessera: \/tessera\.db is a folder\n {2}Check the path/,
  ],
  [
    'a truncated store',
    ({ folder }) => truncateSync(join(folder, 'tessera.db'), statSync(join(folder, 'tessera.db')).size / 2),
    4,
    /^tessera: the store cannot be used: .*malformed\n {2}The file is damaged\..*tessera restore FILE/,
  ],
  [
    'a file that is no store',
    ({ folder }) => writeFileSync(join(folder, 'tessera.db'), 'hello'.repeat(1000)),
    4,
    /^tessera: the store cannot be used: file is not a database\n {2}The file is damaged\./,
  ],
  [
    'a link in the place of the store',
    ({ folder }) => linkStore(folder),
    4,
    /^tessera: \/tessera\.db is a symbolic link, .*\n {2}Name the file itself in the configuration: store: sqlite:\/real\.db\. /,
  ],
  [
    'a clock far ahead of the latest time in the store',
    ({ folder }) => stoppedFor(40, join(folder, 'tessera.db')),
    4,
    /^tessera: the clock is 21[56] hours beyond what is plausible: it shows \S+Z, and the latest known time is \S+Z\n {2}Set the clock .*--accept-clock$/m,
  ],
  [
    'a folder instead of a configuration',
    ({ configFile }) => {
      rmSync(configFile);
      mkdirSync(configFile);
    },
    3,
    /^tessera: the configuration cannot be used\n.*: it is a folder\n {2}Name the file itself/,
  ],
  [
    'no store',
    ({ folder }) => rmSync(join(folder, 'tessera.db')),
    4,
    /^tessera: .*\n {2}For a new installation: tessera init.*tessera restore FILE/,
  ],
];

suite('a start that fails names the cause and the next step, with its own exit code', () => {
  for (const [cause, spoil, code, words] of FAILURES) {
    test(cause, async (t) => {
      const { status, printed } = await failedStart(t, spoil);
      assert.match(printed, words);
      assert.equal(status, code);
    });
  }

  test('doctor reports a clock that a start would refuse, and --accept-clock is the remedy', async (t) => {
    const home = await populatedHome();
    t.after(() => rmSync(home.folder, { recursive: true, force: true }));
    stoppedFor(40, join(home.folder, 'tessera.db'));
    const { printed } = await commands.run(['--config', home.configFile, 'doctor'], { folder: home.folder });
    assert.match(
      printed,
      /^FAIL {2}clock: the clock is .* beyond what is plausible: .*\n +Set the clock .*--accept-clock$/m,
    );
  });

  for (const command of [['init'], ['backup', 'copy.db'], ['restore', 'copy.db'], ['grant', 'list'], ['doctor']])
    test(`${command[0]} refuses a store that is a link, too`, async (t) => {
      const home = await populatedHome();
      t.after(() => rmSync(home.folder, { recursive: true, force: true }));
      linkStore(home.folder);
      const { status, printed } = await commands.run(['--config', home.configFile, ...command], home);
      assert.match(
        printed,
        /tessera\.db is a symbolic link, .*\n +Name the file itself .*: store: sqlite:\S+real\.db\. /m,
      );
      assert.notEqual(status, 0);
      assert.ok(lstatSync(join(home.folder, 'tessera.db')).isSymbolicLink());
    });

  test('once, however many workers there are', async (t) => {
    const home = await populatedHome();
    t.after(() => rmSync(home.folder, { recursive: true, force: true }));
    rmSync(home.serverFiles.certificate);
    const args = ['--config', home.configFile, 'serve', '--workers', '3'];
    const { status, printed } = await runTessera(args, { folder: home.folder });
    assert.deepEqual(printed.match(/there is no such file/g), ['there is no such file']);
    assert.equal(status, 6);
  });

  test('a port in use, in a process of its own', async (t) => {
    const other = createServer().listen(0, '127.0.0.1');
    t.after(() => other.close());
    await new Promise((resolve) => other.once('listening', resolve));
    const { port } = other.address() as { port: number };
    const home = await populatedHome();
    t.after(() => rmSync(home.folder, { recursive: true, force: true }));
    for (const listener of [0, 1]) {
      const set = `listeners.${listener}={ port: ${port}, doors: [ops] }`;
      const args = ['--config', home.configFile, '--set', set, 'serve'];
      const { status, printed } = await runTessera(args, { folder: home.folder });
      assert.match(
        printed,
        new RegExp(
          `^tessera: cannot listen on 127\\.0\\.0\\.1:${port}: the port is in use\n  Another.* --set listeners\\.${listener}\\.port=${port + 1}$`,
          'm',
        ),
      );
      assert.equal(status, 7);
    }
  });

  test('a logo that is not there', async (t) => {
    const { status, printed } = await failedStart(t, () => undefined, '--set', 'pages.logo=/nowhere/logo.svg');
    assert.match(printed, /^pages\.logo: \/nowhere\/logo\.svg cannot be read \(ENOENT\)\n {2}Put an SVG or PNG file/m);
    assert.equal(status, 3);
  });

  test('a keyring in a variable that is not set', async (t) => {
    const { status, printed } = await failedStart(t, () => undefined, '--set', 'keyring=env:NOT_SET');
    assert.match(printed, /^tessera: the variable NOT_SET, which should contain the keyring, is not set\. Set it/m);
    assert.equal(status, 5);
  });

  test('an address of another machine', async (t) => {
    const { status, printed } = await failedStart(t, () => undefined, '--set', 'listeners.0.host=192.0.2.1');
    assert.match(
      printed,
      /^tessera: cannot listen on 192\.0\.2\.1:?0?: this machine does not have this address\n {2}Set host/m,
    );
    assert.match(printed, /--set listeners\.0\.host=127\.0\.0\.1$/m);
    assert.equal(status, 7);
  });
});

test('a slip of the finger does not start thousands of workers', async () => {
  const { status, printed } = await commands.run(['serve', '--workers', '99999'], { folder: '/' });
  assert.equal(status, 2);
  assert.match(
    printed,
    /--workers 99999 is more than \d+, the most for \d+ cores?\n {2}One per core is enough here: --workers \d+\./,
  );
});
