import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { test } from 'node:test';
import { makeLog } from '../../src/log/log.ts';
import { Secret } from '../../src/tokens/secret.ts';

function linesOf(format: 'json' | 'pretty', write: (log: ReturnType<typeof makeLog>) => void): string {
  let text = '';
  const destination = {
    write: (line: string) => {
      text += line;
    },
  };
  write(makeLog({ level: 'trace', format, milliseconds: () => 1_800_000_000_000, destination }));
  return text;
}

test('a log line is one JSON object with time and level', () => {
  const line = JSON.parse(linesOf('json', (log) => log.info({ operation: 'refresh' }, 'request')));
  const time = '2027-01-15T08:00:00.000Z';
  assert.deepEqual(line, { level: 'info', time, operation: 'refresh', msg: 'request' });
});

test('pretty format writes readable text', () => {
  const line = linesOf('pretty', (log) => log.warn({ operation: 'refresh', steps: ['one', 'two'] }, 'request'));
  assert.match(line, /^[\d:.]{12} warn {2}request {2}operation=refresh steps=\n {4}one\n {4}two\n$/);
});

test('secrets are redacted by type and by field name, at any depth', () => {
  for (const format of ['json', 'pretty'] as const) {
    const text = linesOf(format, (log) => {
      log.trace({ token: new Secret('canary-1') }, 'x');
      log.trace({ headers: { Authorization: 'canary-2', cookie: 'canary-3' } }, 'x');
      log.trace({ refresh_token: 'canary-4', body: { password: 'canary-5', device_code: 'canary-6' } }, 'x');
      log.trace({ request: { headers: { authorization: ['canary-7'] } } }, 'x');
      log.trace({ a: { b: [{ c: { access_token: { text: 'canary-8' } } }] } }, 'x');
    });
    assert.equal(text.split('\n').length, 6);
    assert.equal(text.split('[secret]').length, 8 + 1);
    assert.ok(!text.includes('canary'), text);
  }
});

test('a line is written from the configured level on, and never at silent', () => {
  const lines: string[] = [];
  const options = {
    format: 'json',
    milliseconds: () => 0,
    destination: { write: (line: string) => lines.push(line) },
  } as const;
  for (const level of ['trace', 'debug', 'info', 'warn', 'error', 'silent'] as const) {
    const log = makeLog({ ...options, level });
    for (const each of ['trace', 'debug', 'info', 'warn', 'error'] as const) log[each]({}, `${each} at ${level}`);
  }
  const atWarn = lines.map((line) => JSON.parse(line).msg as string).filter((msg) => msg.endsWith('at warn'));
  assert.deepEqual(atWarn, ['warn at warn', 'error at warn']);
  assert.equal(lines.length, 5 + 4 + 3 + 2 + 1);
});

test('a field that cannot be written as JSON costs the fields, not the line', () => {
  const circular: Record<string, unknown> = { password: 'canary' };
  circular['self'] = circular;
  for (const fields of [circular, { count: 1n }]) {
    const line = JSON.parse(linesOf('json', (log) => log.warn(fields, 'x')));
    assert.deepEqual([line.level, line.msg, line.fields], ['warn', 'x', 'cannot be written: TypeError']);
  }
});

test('a reader of the log that goes away does not end the process', async () => {
  const at = (path: string) => new URL(`../../src/${path}`, import.meta.url);
  const program = `
    import { run } from '${at('cli/run.ts')}';
    import { makeLog } from '${at('log/log.ts')}';
    process.argv = ['node', 'tessera', 'config', 'show'];
    await run();
    const log = makeLog({ level: 'info', format: 'json', milliseconds: Date.now });
    process.stdin.once('data', () => {
      setInterval(() => log.info({}, 'line'), 20);
      setTimeout(() => process.exit(23), 500);
    });`;
  const child = spawn(process.execPath, ['--input-type=module-typescript', '--eval', program]);
  await once(child.stdout, 'data');
  child.stdout.destroy();
  child.stdin.write('go');
  const [code] = await once(child, 'exit');
  assert.equal(code, 23);
});

test('a reader of the log that stops reading costs lines, not memory, and is told how many', async () => {
  const at = (path: string) => new URL(`../../src/${path}`, import.meta.url);
  const program = `
    import { makeLog } from '${at('log/log.ts')}';
    const log = makeLog({ level: 'info', format: 'json', milliseconds: Date.now });
    const filling = 'x'.repeat(1000);
    for (let n = 0; n < 300; n++) {
      for (let line = 0; line < 100; line++) log.info({ filling }, 'line');
      await new Promise((resolve) => setImmediate(resolve));
    }
    process.stderr.write('waiting ' + process.stdout.writableLength);
    process.stdin.once('data', () => {
      setInterval(() => log.info({}, 'last line'), 50).unref();
      process.stdout.once('drain', () => setTimeout(() => process.stdin.destroy(), 300));
    });`;
  const child = spawn(process.execPath, ['--input-type=module-typescript', '--eval', program]);
  child.stdout.pause();
  const [said] = await once(child.stderr, 'data');
  const waiting = Number(String(said).replace('waiting ', ''));
  assert.ok(waiting > 8e6 && waiting < 10e6, `${waiting} bytes`);
  let printed = '';
  child.stdout.setEncoding('utf8').on('data', (text) => (printed += text));
  child.stdout.resume();
  child.stdin.write('go');
  await once(child, 'close');
  const lines = printed
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  const dropped = lines.reduce((sum, line) => sum + (line.dropped ?? 0), 0);
  assert.equal(lines.filter(({ msg }) => msg === 'line').length + dropped, 30_000);
  assert.ok(dropped > 0);
});

test('a log that nobody reads does not keep a process that has stopped', async () => {
  const program = `
    import { endWithoutReader } from '${new URL('../../src/log/standard-output.ts', import.meta.url)}';
    process.stdout.write('x'.repeat(1e6));
    process.exitCode = 23;
    endWithoutReader(100);`;
  const child = spawn(process.execPath, ['--input-type=module-typescript', '--eval', program]);
  child.stdout.pause();
  assert.deepEqual(await once(child, 'exit'), [23, null]);
  child.stdout.destroy();
});
