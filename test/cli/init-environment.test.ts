import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { runTessera } from './command.ts';

test('init writes the configuration that TESSERA_CONFIG names, and --json prints what it made', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'tessera-init-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, 'etc', 'own.yaml');
  const environment = { TESSERA_CONFIG: file };
  const { status, printed } = await runTessera(['init'], { folder, environment });
  assert.equal(status, 0, printed);
  assert.ok(printed.includes(`Wrote ${file}`), printed);
  assert.ok(!existsSync(join(folder, 'tessera.yaml')));
  const again = await runTessera(['init', '--json'], { folder, environment });
  assert.equal(again.status, 0, again.printed);
  assert.match(again.printed, new RegExp(`"configuration": "${file}"`));
});
