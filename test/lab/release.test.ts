// What a release consists of, beside the package: every package that runs is named, with its licence.
// Only in test:all: drill
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite, test } from 'node:test';
import { licencesOf } from '../../lab/release/licences.ts';
import { notesOf } from '../../lab/release/notes.ts';
import { sbomOf } from '../../lab/release/sbom.ts';
import { type Lock, shippedPackages } from '../../lab/release/shipped.ts';
import { RELEASE } from '../../src/version.ts';

const ROOT = join(import.meta.dirname, '../..');
const read = (name: string) => readFileSync(join(ROOT, name), 'utf8');
const manifest = JSON.parse(read('package.json'));
const lock = JSON.parse(read('package-lock.json')) as Lock & { readonly version: string };
const shipped = shippedPackages(lock);
const direct = Object.keys(manifest.dependencies).map((name) => `node_modules/${name}`);

/** The packages that the code loads, found without the lock file: from package to package in node_modules. */
function installedPackages(): Set<string> {
  const found = new Set<string>();
  const visit = (name: string) => {
    if (found.has(name)) return;
    found.add(name);
    const { dependencies = {} } = JSON.parse(read(`node_modules/${name}/package.json`));
    for (const each of Object.keys(dependencies)) visit(each);
  };
  for (const name of Object.keys(manifest.dependencies)) visit(name);
  return found;
}

suite('a release', () => {
  test('its bill of materials names every package that is needed at run time', () => {
    const sbom = sbomOf(manifest, shipped, direct) as {
      components: { name: string; purl: string; hashes: { content: string }[]; licenses: object[] }[];
      dependencies: { ref: string; dependsOn: string[] }[];
    };
    const named = new Set(sbom.components.map(({ name }) => name));
    assert.deepEqual(
      [...installedPackages()].filter((name) => !named.has(name)),
      [],
    );
    assert.ok(
      !named.has('typescript') && !named.has('tessera-runtime'),
      'and none that is needed for development only',
    );
    const refs = new Set([`pkg:npm/%40tessera/server@${RELEASE}`, ...sbom.components.map(({ purl }) => purl)]);
    assert.equal(refs.size, sbom.components.length + 1, 'each once');
    for (const { ref, dependsOn } of sbom.dependencies)
      for (const each of [ref, ...dependsOn]) assert.ok(refs.has(each), each);
    for (const { hashes, licenses } of sbom.components)
      assert.ok(/^[0-9a-f]{128}$/.test(hashes[0]?.content ?? '') && licenses.length === 1);
  });

  test('its licences allow distribution, and their texts are collected', () => {
    const permissive = /^(?:MIT|ISC|Apache-2\.0|BSD-2-Clause|BSD-3-Clause|0BSD|BlueOak-1\.0\.0)$/;
    assert.deepEqual(
      shipped.filter(({ license }) => !permissive.test(license)),
      [],
    );
    const text = licencesOf(ROOT, shipped);
    for (const { name, version } of shipped) assert.ok(text.includes(`${name} ${version}: `), name);
    assert.ok([...text.matchAll(/Permission is hereby granted/g)].length > 20);
  });

  test('packages, lock file, changelog and files of deploy/ have the same version', () => {
    assert.equal(lock.version, RELEASE);
    for (const name of ['client', 'verify']) {
      assert.equal(JSON.parse(read(`sdk/${name}/package.json`)).version, RELEASE);
      assert.ok(read(`sdk/${name}/README.md`).includes(`tessera-${name}-${RELEASE}.tgz`), name);
    }
    assert.ok(notesOf(read('CHANGELOG.md'), RELEASE).length > 1000);
    for (const path of globSync('deploy/**/*.yaml', { cwd: ROOT }))
      for (const [, version] of read(path).matchAll(/image: localhost\/tessera:(\S+)/g))
        assert.equal(version, RELEASE, path);
    assert.match(read('SECURITY.md'), new RegExp(`\\| ${RELEASE.split('.').slice(0, 2).join('\\.')}\\.x \\|`));
  });

  test('all packages have one scope, and are public in it', () => {
    for (const path of ['package.json', 'sdk/client/package.json', 'sdk/verify/package.json']) {
      const { name, publishConfig } = JSON.parse(read(path));
      assert.match(name, /^@tessera\/(?:server|client|verify)$/);
      assert.deepEqual(publishConfig, { access: 'public', provenance: true }, path);
    }
  });

  test('can be published: public, with its files, and for the Node that it needs', () => {
    assert.equal(manifest.private, undefined);
    assert.deepEqual(Object.keys(manifest.exports), ['./package.json']);
    assert.equal(manifest.engines.node, '>=24');
  });

  test('notes need a section with a date', () => {
    assert.equal(
      notesOf('# C\n\n## [Unreleased]\n\n## [1.2.3] - 2026-11-15\n\n- a\n\n## [1.2.2] - 2026-11-01\n- b', '1.2.3'),
      '- a\n',
    );
    assert.throws(() => notesOf('## [1.2.3]\n- a', '1.2.3'), /no date/);
    assert.throws(() => notesOf('## [Unreleased]\n- a', '1.2.3'), /no section for 1\.2\.3/);
    assert.throws(() => notesOf('## [1.2.3] - 2026-11-15\n\n## [1.2.2] - 2026-11-01\n- b', '1.2.3'), /empty/);
  });
});
