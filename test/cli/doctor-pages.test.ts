import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { examineStore, openForExamination } from '../../src/cli/doctor/store.ts';
import { loadConfig } from '../../src/config/load.ts';
import { openStore } from '../../src/open-store.ts';
import type { Store } from '../../src/store/store.ts';
import { overwriteLastPage } from '../store/overwrite-page.ts';
import { temporaryFolder } from '../temporary-folder.ts';

test('doctor reads all of a SQLite store, and finds pages that were overwritten', async (t) => {
  const folder = temporaryFolder('pages');
  t.after(() => rmSync(folder, { recursive: true }));
  const config = loadConfig({ file: undefined, env: {}, sets: [`dataFolder=${folder}`] });
  await (await openStore(config, 'init')).close();
  const examined = async () => {
    const store = (await openForExamination(config)) as Store;
    const [finding] = await examineStore(config, store);
    await store.close();
    return finding;
  };
  assert.equal((await examined())?.verdict, 'good');
  overwriteLastPage(join(folder, 'tessera.db'));
  const finding = await examined();
  assert.equal(finding?.verdict, 'bad');
  assert.match(`${finding?.says} ${finding?.todo}`, /it is damaged: .* restore the store from its backup/s);
});
