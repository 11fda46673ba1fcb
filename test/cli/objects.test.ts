// `export`, `diff` and `apply`: everything registered as files.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, suite, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { temporaryFolder } from '../temporary-folder.ts';
import { commandEnvironment, TESSERA } from './command.ts';
import { Commands } from './commands.ts';

const MANY = 1000;

let commands: Commands;
before(() => {
  commands = new Commands({ isApart: true });
});
after(() => commands.close());

async function home(): Promise<string> {
  const folder = temporaryFolder('objects', '/var/tmp');
  assert.equal((await run(folder, 'init')).status, 0);
  return folder;
}

function run(folder: string, ...args: string[]) {
  return commands.run(args, { folder });
}

async function count(folder: string): Promise<number> {
  return JSON.parse((await run(folder, 'integration', 'list', '--json')).printed).length - 1; // tessera-cli
}

function manyIntegrations(of = MANY, more = ''): string {
  const lines = Array.from({ length: of }, (_, at) => `  shop-${at}: { scope: 'shop:read${more}' }`);
  return `integrations:\n${lines.join('\n')}\n`;
}

suite('everything registered as files', () => {
  test('1,000 integrations are applied once; again, nothing changes', async () => {
    const folder = await home();
    writeFileSync(join(folder, 'many.yaml'), manyIntegrations());
    assert.equal((await run(folder, 'diff', '-f', 'many.yaml')).status, 2);
    const applied = await run(folder, 'apply', '-f', 'many.yaml', '--yes');
    assert.match(applied.printed, /Applied 1000 changes/);
    const again = await run(folder, 'apply', '-f', 'many.yaml', '--yes');
    assert.equal(again.printed, 'No difference\n');
    assert.equal((await run(folder, 'diff', '-f', 'many.yaml')).status, 0);
    assert.equal(await count(folder), MANY);
    rmSync(folder, { recursive: true });
  });

  test('killed at any moment, all is applied or nothing', async () => {
    const folder = await home();
    writeFileSync(join(folder, 'many.yaml'), manyIntegrations());
    const counts = new Set<number>();
    for (const wait of [300, 700, 1100]) {
      const child = spawn(process.execPath, [TESSERA, 'apply', '-f', 'many.yaml', '--yes'], {
        cwd: folder,
        env: commandEnvironment(),
        stdio: 'ignore',
      });
      await sleep(wait + Math.random() * 100);
      child.kill('SIGKILL');
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
      counts.add(await count(folder));
    }
    for (const found of counts) assert.ok(found === 0 || found === MANY, `${found} of ${MANY}`);
    rmSync(folder, { recursive: true });
  });

  test('what is exported is applied without a difference, in another installation too; edits are named field by field', async () => {
    const folder = await home();
    await run(folder, 'identity', 'add', 'ada', '--no-password', '--group', 'shops');
    await run(
      folder,
      'integration',
      'add',
      'shop',
      '--scope',
      'shop:read',
      '--only-identity',
      'ada',
      '--refresh',
      'no',
    );
    await run(
      folder,
      'resource-server',
      'add',
      'shop-api',
      '--audience',
      'https://shop.example',
      '--resource',
      'Shop',
      '--identity',
      'ada',
    );
    await run(folder, 'resource-server', 'secret', 'shop-api');
    const key = generateKeyPairSync('ed25519').publicKey.export({ type: 'spki', format: 'pem' });
    writeFileSync(join(folder, 'shop.pem'), key);
    await run(folder, 'integration', 'key', 'add', 'shop', 'shop.pem');
    await run(folder, 'token-issuer', 'add', 'ci', '--issuer', 'https://ci.example', '--when', '/sub=job');
    const { printed } = await run(folder, 'export');
    assert.doesNotMatch(printed, /tsc_|hash|secret:|password/i);
    writeFileSync(join(folder, 'objects.yaml'), printed);
    assert.equal((await run(folder, 'diff', '-f', 'objects.yaml')).printed, 'No difference\n');
    const edited = printed
      .replace('shop:read', 'shop:read,write')
      .replace('refresh: false', 'refresh: true')
      .replace('https://ci.example', 'https://else.example');
    writeFileSync(join(folder, 'objects.yaml'), edited.replace('- shops', '- shops\n      - staff'));
    const refused = await run(folder, 'apply', '-f', 'objects.yaml', '--yes');
    assert.match(refused.stderr, /the token issuer ci has another iss/);
    writeFileSync(
      join(folder, 'objects.yaml'),
      edited.replace('https://else.example', 'https://ci.example').replace('- shops', '- shops\n      - staff'),
    );
    const { printed: plan, status } = await run(folder, 'diff', '-f', 'objects.yaml');
    assert.equal(status, 2);
    assert.deepEqual(plan.trim().split('\n'), [
      '~ integrations.shop',
      '    scope: "shop:read" -> "shop:read,write"',
      '    overrides: {"refresh":false} -> {"refresh":true}',
      '~ identities.ada',
      '    groups: ["shops"] -> ["shops","staff"]',
    ]);
    assert.equal((await run(folder, 'apply', '-f', 'objects.yaml')).status, 1, 'nobody can confirm it');
    assert.equal((await run(folder, 'apply', '-f', 'objects.yaml', '--yes')).status, 0);
    assert.equal((await run(folder, 'diff', '-f', 'objects.yaml')).status, 0);
    const weak = readFileSync(join(folder, 'objects.yaml'), 'utf8').replace(
      'refresh: true',
      'refresh: true\n      onReuse: report',
    );
    writeFileSync(join(folder, 'weak.yaml'), weak);
    const warned = (await run(folder, 'diff', '-f', 'weak.yaml')).printed;
    assert.match(warned, /onReuse.*\n {4}Warning: A reused refresh token will not end its grant\.\n$/);
    await run(folder, 'integration', 'add', 'kiosk', '--scope', 'shop:read', '--confidential', 'yes');
    writeFileSync(
      join(folder, 'public.yaml'),
      'integrations:\n  kiosk:\n    scope: shop:read\n    confidential: false\n',
    );
    const opened = (await run(folder, 'diff', '-f', 'public.yaml')).printed;
    assert.match(opened, /confidential: true -> none\n {4}Warning: It will be public/);
    const other = await home();
    await run(other, 'identity', 'add', 'ada', '--no-password');
    writeFileSync(join(other, 'objects.yaml'), readFileSync(join(folder, 'objects.yaml'), 'utf8'));
    const applied = await run(other, 'apply', '-f', 'objects.yaml', '--yes');
    assert.equal(applied.status, 0, applied.stderr);
    assert.equal((await run(other, 'diff', '-f', 'objects.yaml')).status, 0);
    const keysIn = async (of: string) => (await run(of, 'integration', 'key', 'list', 'shop', '--json')).printed;
    assert.match(await keysIn(other), /"crv": "Ed25519"/);
    assert.equal(await keysIn(other), await keysIn(folder), 'public keys are part of the file');
    // What a file does not say about keys stays; an empty set removes them.
    writeFileSync(join(other, 'few.yaml'), 'integrations:\n  shop: { scope: shop:read }\n');
    await run(other, 'apply', '-f', 'few.yaml', '--yes');
    assert.equal(await keysIn(other), await keysIn(folder));
    const none = 'integrations:\n  shop: { scope: shop:read, publicKeys: { from: file, set: \'{"keys":[]}\' } }\n';
    writeFileSync(join(other, 'none.yaml'), none);
    await run(other, 'apply', '-f', 'none.yaml', '--yes');
    assert.equal(await keysIn(other), '[]\n');
    for (const each of [folder, other]) rmSync(each, { recursive: true });
  });

  test('nothing is removed without --prune; a folder of files is one document', async () => {
    const folder = await home();
    await run(folder, 'integration', 'add', 'old', '--scope', 'old:read');
    mkdirSync(join(folder, 'objects'));
    writeFileSync(join(folder, 'objects/a.yaml'), 'integrations:\n  one: { scope: a:read }\n');
    writeFileSync(join(folder, 'objects/b.yaml'), 'integrations:\n  two: { scope: a:read }\n');
    await run(folder, 'apply', '-f', 'objects', '--yes');
    assert.equal(await count(folder), 3);
    const { printed } = await run(folder, 'diff', '-f', 'objects', '--prune');
    assert.equal(printed, '- integrations.old\n');
    await run(folder, 'apply', '-f', 'objects', '--prune', '--yes');
    assert.equal(await count(folder), 2, 'and tessera-cli stays');
    writeFileSync(join(folder, 'objects/c.yaml'), 'integrations:\n  two: { scope: b:read }\n');
    assert.match((await run(folder, 'diff', '-f', 'objects')).stderr, /integrations\.two is described twice/);
    writeFileSync(join(folder, 'bad.yaml'), 'integrations:\n  two: { scope: b:read, colour: red }\n');
    assert.match(
      (await run(folder, 'diff', '-f', 'bad.yaml')).stderr,
      /integrations\.two\.colour is not a known member/,
    );
    for (const nothing of ['', ' 7', ' []']) {
      writeFileSync(join(folder, 'bad.yaml'), `integrations:${nothing}\n`);
      const refused = await run(folder, 'apply', '-f', 'bad.yaml', '--prune', '--yes');
      assert.match(refused.stderr, /integrations is not of type object/);
    }
    writeFileSync(join(folder, 'odd.yaml'), 'integrations:\n  __proto__: { scope: a:read }\n  three:\n');
    assert.match((await run(folder, 'diff', '-f', 'odd.yaml')).stderr, /integrations\.three is not of type object/);
    writeFileSync(join(folder, 'odd.yaml'), 'integrations:\n  __proto__: { scope: a:read }\n');
    assert.match((await run(folder, 'diff', '-f', 'odd.yaml')).printed, /^\+ integrations\.__proto__\n/);
    const schema = JSON.parse((await run(folder, 'export', '--schema')).printed);
    assert.deepEqual(Object.keys(schema.properties), [
      'integrations',
      'resourceServers',
      'issuers',
      'tokenIssuers',
      'identities',
    ]);
    rmSync(folder, { recursive: true });
  });
});
