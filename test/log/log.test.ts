import assert from 'node:assert/strict';
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
  write(makeLog({ level: 'trace', format, destination }));
  return text;
}

test('a log line is one JSON object with time and level', () => {
  const line = JSON.parse(linesOf('json', (log) => log.info({ operation: 'refresh' }, 'request')));
  assert.deepEqual({ ...line, time: '' }, { level: 'info', time: '', operation: 'refresh', msg: 'request' });
  assert.match(line.time, /^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
});

test('pretty format writes readable text', () => {
  const line = linesOf('pretty', (log) => log.warn({ operation: 'refresh', steps: ['one', 'two'] }, 'request'));
  assert.match(line, /^[\d:.]{12} warn {2}request {2}operation=refresh steps=\n {4}one\n {4}two\n$/);
});

test('secrets are redacted by type and by field name, at any depth', () => {
  for (const format of ['json', 'pretty'] as const) {
    const text = linesOf(format, (log) => {
      log.trace({ token: new Secret('canary-1') }, 'x');
      log.trace({ headers: { authorization: 'canary-2', cookie: 'canary-3' } }, 'x');
      log.trace({ refresh_token: 'canary-4', body: { password: 'canary-5', device_code: 'canary-6' } }, 'x');
      log.trace({ request: { headers: { authorization: 'canary-7' } } }, 'x');
    });
    assert.ok(text.includes('[secret]'));
    assert.ok(!text.includes('canary'), text);
  }
});
