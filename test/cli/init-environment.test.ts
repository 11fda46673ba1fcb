import assert from 'node:assert/strict';
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { temporaryFolder } from '../temporary-folder.ts';
import { runTessera } from './command.ts';
import { Commands } from './commands.ts';

test('init writes the configuration that TESSERA_CONFIG names, and --json prints what it made', async (t) => {
  const folder = temporaryFolder('init');
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

test('if npm runs it, every message shows commands that npm runs', async (t) => {
  const folder = temporaryFolder('init');
  const commands = new Commands({ environment: { npm_lifecycle_event: 'tessera' } });
  t.after(async () => {
    await commands.close();
    rmSync(folder, { recursive: true, force: true });
  });
  const printedBy = async (...args: string[]) => (await commands.run(args, { folder })).printed;
  assert.match(await printedBy('init'), /^ {2}\d\. Add people: +npm run --silent tessera -- identity add ada$/m);
  const doctor = await printedBy('doctor');
  assert.match(doctor, /Do: npm run --silent tessera -- integration add/);
  assert.match(doctor, /^tessera: \d+ of \d+ checks failed$/m);
  assert.match(await printedBy('--config', 'none.yaml', 'serve'), /npm run --silent tessera -- init/);
  assert.match(
    await printedBy('--config', 'etc/own.yaml', 'init'),
    /npm run --silent tessera -- --config \S+own\.yaml doctor/,
  );
});
