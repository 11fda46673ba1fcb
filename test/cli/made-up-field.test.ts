// A field that the schema of a registered thing declares needs nothing else for its option and for its line in what is shown.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, suite, test } from 'node:test';
import { makeAuthority } from '../authority.ts';
import { temporaryFolder } from '../temporary-folder.ts';
import { commandEnvironment, TESSERA } from './command.ts';

/** Adds the field to all schemas before the commands are loaded. */
const MADE_UP = `data:text/javascript,
  import * as objects from '${import.meta.resolve('../../src/operations/admin/objects.ts')}';
  import * as issuers from '${import.meta.resolve('../../src/operations/admin/issuer-objects.ts')}';
  const { IntegrationObject, ResourceServerObject, IdentityObject, IssuerObject, TokenIssuerObject } = { ...objects, ...issuers };
  for (const { properties } of [IntegrationObject, ResourceServerObject, IdentityObject, IssuerObject, TokenIssuerObject])
    properties.madeUp = { type: 'boolean', description: 'Whether it is made up. Left out: no.', default: false };`;

const ADDED: Readonly<Record<string, readonly string[]>> = {
  integration: ['--scope', 'orders:read'],
  'resource-server': ['--audience', 'https://a.example', '--resource', 'orders'],
  issuer: ['ca.pem'],
  'token-issuer': ['--issuer', 'https://p.example', '--when', '/sub=a'],
  identity: ['--no-password'],
};

suite('a field that a schema declares', () => {
  const folder = temporaryFolder('made-up');
  after(() => rmSync(folder, { recursive: true, force: true }));
  writeFileSync(join(folder, 'ca.pem'), makeAuthority().pem);
  const run = (...args: readonly string[]) => {
    const loading = ['--disable-warning=ExperimentalWarning', '--import', MADE_UP.replaceAll('\n', '')];
    const { status, stdout, stderr } = spawnSync(process.execPath, [...loading, TESSERA, ...args], {
      cwd: folder,
      env: commandEnvironment({}),
      encoding: 'utf8',
    });
    assert.equal(status, 0, stderr);
    return stdout;
  };
  test('the store', () => assert.match(run('init'), /tessera\.yaml/));

  for (const [kind, options] of Object.entries(ADDED))
    test(`${kind} add, change and show have it`, () => {
      assert.match(run(kind, 'add', '--help'), /--made-up <yes\|no> +whether it is made up \(default: no\)\n/);
      assert.match(run(kind, 'change', '--help'), /--made-up <yes\|no> +whether it is made up\n/);
      run(kind, 'add', `a-${kind}`, ...options);
      assert.match(run(kind, 'show', `a-${kind}`), /^made up +no$/m);
    });
});
