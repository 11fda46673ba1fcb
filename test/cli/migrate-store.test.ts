// `tessera migrate-store` as docs/postgresql.md describes it: beside a service, again, and once more when that has stopped.
// Only in test:all: moves between stores
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { after, test } from 'node:test';
import { storeOf } from '../../src/store/change.ts';
import { takeOver } from '../../src/store/move.ts';
import { aNode, issue } from '../node.ts';
import { postgresDatabase } from '../store/postgres-database.ts';
import { sqliteDatabase } from '../store/sqlite-database.ts';
import { commandEnvironment, TESSERA } from './command.ts';
import { Commands } from './commands.ts';

const commands = new Commands();
after(() => commands.close());

test('migrate-store can be repeated while a service runs, finished after it stops, and is refused once a service uses the target', async () => {
  const [old, target] = [await sqliteDatabase(), await postgresDatabase()];
  const service = await old.open();
  await issue(await aNode(storeOf(service)));
  const run = () =>
    commands.run(['migrate-store', '--from', `sqlite:${old.path}`, '--to', target.url], { folder: old.folder });

  for (let n = 0; n < 2; n++) {
    const { status, printed } = await run();
    assert.equal(status, 0, printed);
    assert.match(printed, /not complete.*1\. Stop the service/s);
  }
  await assert.rejects(takeOver(storeOf(await target.open())), /not complete/);

  await service.close();
  for (let n = 0; n < 2; n++) {
    const { status, printed } = await run();
    assert.equal(status, 0, printed);
    assert.match(printed, /Moved, and both stores were compared.*Set store:/s);
    assert.equal(printed.match(/^grants\b/gm)?.length, 1, 'counts are printed once');
  }

  await takeOver(storeOf(await target.open()));
  const { status, printed } = await run();
  assert.equal(status, 1, printed);
  assert.match(printed, /is in use.*empty database/s);
  await Promise.all([old.remove(), target.remove()]);
});

test('a move by the role of the nodes names the role that it needs', async () => {
  const [old, target] = [await sqliteDatabase(), await postgresDatabase()];
  const service = await old.open();
  await issue(await aNode(storeOf(service)));
  await service.close();
  const { server } = target;
  await server.query('CREATE ROLE mover LOGIN');
  for (const what of ['SELECT, INSERT, UPDATE, DELETE ON ALL TABLES', 'SELECT, USAGE ON ALL SEQUENCES'])
    await server.query(`GRANT ${what} IN SCHEMA public TO mover`, target.name);
  const to = target.url.replace(/\/\/[^@]*@/, '//mover@');
  const { status, printed } = await commands.run(['migrate-store', '--from', `sqlite:${old.path}`, '--to', to], old);
  assert.equal(status, 4);
  assert.match(
    printed,
    /permission denied for sequence .*\n {2}See "Roles" .* moves need the role that owns the schema\.$/m,
  );
  await Promise.all([old.remove(), target.remove()]);
});

test('a service refuses a store that was moved away, until the operator takes it back', async () => {
  const [old, target] = [await sqliteDatabase(), await postgresDatabase()];
  const run = (...args: string[]) =>
    commands.run([...args, '--set', `store=sqlite:${old.path}`, '--set', 'listeners=[{ port: 0 }]'], {
      folder: old.folder,
    });
  assert.equal((await run('init')).status, 0);
  const move = () => run('migrate-store', '--to', target.url);
  assert.match((await move()).printed, /Moved, and both stores were compared/);

  const refused = await run('serve');
  assert.equal(refused.status, 1, refused.printed);
  assert.match(refused.printed, /was moved to another one on 2\d{3}-.*\n {2}Set store:.*--take-back/);
  assert.match((await run('doctor')).printed, /FAIL {2}move: this store was moved.*\n.*--take-back/);
  assert.match((await run('integration', 'list')).printed, /Warning: this store was moved/);

  const again = await move();
  assert.match(
    again.printed,
    /Moved, and both stores were compared/,
    'the move can be repeated until a node opens the target',
  );
  await takeOver(storeOf(await target.open()));

  await serveOnce(old.path, old.folder, '--take-back');
  await serveOnce(old.path, old.folder);
  assert.match((await run('events', '--json')).printed, /"did":"taken-back"/);
  assert.match((await move()).printed, /is in use/);
  await Promise.all([old.remove(), target.remove()]);
});

/** Starts a service, and stops it when it is ready. */
async function serveOnce(path: string, cwd: string, ...flags: string[]): Promise<void> {
  const sets = [
    '--set',
    `store=sqlite:${path}`,
    '--set',
    'listeners=[{ port: 0 }]',
    '--set',
    'publicUrl=http://localhost',
  ];
  const service = spawn(process.execPath, [TESSERA, 'serve', ...flags, ...sets], { cwd, env: commandEnvironment() });
  let printed = '';
  const note = (text: Buffer) => {
    printed += String(text);
    if (printed.includes('"ready"') && !service.killed) service.kill('SIGTERM');
  };
  service.stdout.on('data', note);
  service.stderr.on('data', note);
  assert.deepEqual(await once(service, 'exit'), [0, null], printed);
}
