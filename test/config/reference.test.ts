import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { suite, test } from 'node:test';
import { certificateRules } from '../../lab/configuration/certificate-rules.ts';
import { errorsPage } from '../../lab/configuration/errors.ts';
import { withLimits } from '../../lab/configuration/limits.ts';
import { objectReference } from '../../lab/configuration/objects.ts';
import { configReference } from '../../lab/configuration/reference.ts';
import { type SettingPlace, settingPlaces, variableOf } from '../../src/config/layers.ts';
import { readNode } from '../../src/config/read.ts';
import { CONFIG_SCHEMA } from '../../src/config/schema.ts';
import { configJsonSchema } from '../../src/config/show.ts';

type Node = Parameters<typeof readNode>[0];

/** Every setting, including those inside lists. */
function everySetting(node: Node, path: readonly string[] = []): SettingPlace[] {
  if (node.items) return everySetting(node.items, [...path, '[]']);
  if (node.oneOf) return node.oneOf.flatMap((group) => everySetting(group, path));
  if (!node.properties) return [{ path, node }];
  return Object.entries(node.properties).flatMap(([key, child]) => everySetting(child, [...path, key]));
}

const SETTINGS = everySetting(CONFIG_SCHEMA as Node);

suite('every setting is documented', () => {
  test('the settings are found', () => assert.ok(SETTINGS.length > 45));

  for (const { path, node } of SETTINGS) {
    const name = path.join('.');
    test(`${name} has a description, an expected form and a valid example`, () => {
      assert.match(node.description ?? '', /\.$/);
      assert.ok(node.expected);
      const [example] = node.examples ?? [];
      assert.notEqual(example, undefined);
      for (const value of [example, ...(node.default === undefined ? [] : [node.default])]) {
        const reading = { folders: { base: '/', data: '/data' }, mistakes: [] };
        readNode(node, value, path, reading);
        assert.deepEqual(reading.mistakes, []);
      }
    });
    test(`${name} is in docs/configuration.md`, () => {
      assert.ok(readFileSync('docs/configuration.md', 'utf8').includes(`\`${name}\``));
    });
  }

  test('no two settings share an environment variable', () => {
    const names = settingPlaces(CONFIG_SCHEMA as Node).map(variableOf);
    assert.deepEqual(names, [...new Set(names)]);
  });
});

suite('generated files are up to date', () => {
  test('docs/configuration.md; else: npm run configuration', () => {
    assert.equal(readFileSync('docs/configuration.md', 'utf8'), configReference());
  });

  test('the limits in docs/proxies.md; else: npm run configuration', () => {
    const page = readFileSync('docs/proxies.md', 'utf8');
    assert.equal(page, withLimits(page));
  });

  test('docs/certificate-rules.md; else: npm run configuration', () => {
    assert.equal(readFileSync('docs/certificate-rules.md', 'utf8'), certificateRules());
  });

  test('docs/errors.md; else: npm run configuration', () => {
    assert.equal(readFileSync('docs/errors.md', 'utf8'), errorsPage());
  });

  test('docs/objects.md; else: npm run configuration', () => {
    assert.equal(readFileSync('docs/objects.md', 'utf8'), objectReference());
  });

  test('docs/tessera.schema.json; else: npm run configuration', () => {
    assert.deepEqual(JSON.parse(readFileSync('docs/tessera.schema.json', 'utf8')), configJsonSchema());
  });
});
