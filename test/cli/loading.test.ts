// Modules loaded at start, since each costs time. The bench measures how much; this test forbids known costs.
// Only in test:all: what a start costs
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { test } from 'node:test';
import { populatedHome } from '../e2e/service.ts';

const ROOT = join(import.meta.dirname, '../..');

/** Prints the loaded modules on exit: files by relative path, Node's modules by name. */
const TELL = `data:text/javascript,
  import { registerHooks } from 'node:module';
  import { isMainThread } from 'node:worker_threads';
  const loaded = [];
  registerHooks({ load: (url, context, next) => (loaded.push(url), next(url, context)) });
  const tell = () => process.stderr.write(JSON.stringify([...loaded, ...process.moduleLoadList]));
  if (isMainThread) process.on('exit', tell);`;

/** Runs a command to its end; a service is stopped as soon as it serves. */
async function loadedBy(...args: string[]): Promise<readonly string[]> {
  const main = join(ROOT, 'src/cli/main.ts');
  const child = spawn(process.execPath, [
    '--disable-warning=ExperimentalWarning',
    '--import',
    TELL.replaceAll('\n', ''),
    main,
    ...args,
  ]);
  let told = '';
  child.stderr.on('data', (part) => (told += String(part)));
  createInterface({ input: child.stdout }).on('line', (line) => line.includes('"ready"') && child.kill('SIGTERM'));
  await once(child, 'close');
  return (JSON.parse(told) as string[]).map((name) => name.replace(`file://${ROOT}/`, ''));
}

/** The modules that do the work. Schemas are data, from which the options of registered things come. */
const PARTS =
  /^sdk\/client\/src\/(?!cli\.ts)|^src\/(pki|outbound|doors|serve|operations\/(?!admin\/(?:refusals|admin|assertion-rules|text-forms|members|rule-object|(?:issuer-)?objects)\.ts)|directory\/(?!password-rules)|log|store\/sqlite|store\/postgres|config\/load|compose|open-|run-|cli\/commands\/work|cli\/init|cli\/quickstart|cli\/doctor)/;

test('help loads the declarations of the commands and none of their code', async () => {
  const loaded = await loadedBy('--help');
  assert.ok(loaded.includes('src/cli/commands/installation.ts'), 'the hook sees what is loaded');
  assert.deepEqual(
    loaded.filter((name) => PARTS.test(name)),
    [],
  );
  const packages = loaded.flatMap((name) => /^node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(name)?.[1] ?? []);
  assert.deepEqual([...new Set(packages)], ['commander']);
});

// Large, and of no use to a service on SQLite: a validator and a serializer that fastify brings along, the other back end, the
// client behind fetch, the library that checks assertions, until one arrives, and that of metrics, which are off here.
const UNWANTED =
  /\/(ajv|@fastify\/ajv-compiler|@fastify\/fast-json-stringify-compiler|pg|pg-protocol|jose|prom-client|@opentelemetry)\/|postgres|undici/;

test('a service loads only what it needs', async () => {
  const { configFile, folder } = await populatedHome();
  const loaded = await loadedBy('--config', configFile, '--set', 'metrics.enabled=false', 'serve');
  rmSync(folder, { recursive: true, force: true });
  assert.ok(
    loaded.some((name) => name.startsWith('node_modules/fastify/')) && loaded.includes('src/compose/service.ts'),
  );
  assert.deepEqual(
    loaded.filter((name) => UNWANTED.test(name)),
    [],
  );
});
