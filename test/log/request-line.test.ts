import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { makeLog } from '../../src/log/log.ts';
import { type LoggedRecord, type LoggedRequest, requestLines } from '../../src/log/request-line.ts';
import { anyCharacter } from '../any-character.ts';

const hex = (length: number) => fc.stringMatching(new RegExp(`^[0-9a-f]{${length}}$`));
const any = fc.oneof(
  fc.string({ unit: anyCharacter, maxLength: 40 }),
  fc.string({ unit: fc.constantFrom('a', ' ', '"', '\\', '\u007f', '\n', 'é'), maxLength: 6 }),
);
const request: fc.Arbitrary<LoggedRequest> = fc.record({
  id: hex(16),
  status: fc.constantFrom(200, 400, 503),
  ms: fc.nat(100_000).map((microseconds) => microseconds / 1000),
  address: any,
});
const record: fc.Arbitrary<LoggedRecord> = fc.record(
  {
    operation: fc.constantFrom('refresh', 'none'),
    outcome: fc.constantFrom('accepted', 'refused'),
    reason: fc.constantFrom('grant-unknown', 'fault'),
    rule: any,
    clientId: any,
    identityId: any,
    grantId: hex(32),
  },
  { requiredKeys: ['operation', 'outcome'] },
);

function lineOf(told: LoggedRequest, of: LoggedRecord): string {
  let text = '';
  const destination = {
    write: (line: string) => {
      text += line;
    },
  };
  requestLines(makeLog({ level: 'info', format: 'json', milliseconds: () => 0, destination }), () => 1000)(
    'info',
    told,
    of,
  );
  return text;
}

test('a request is logged as one line of JSON with every given value, whatever characters it has', () => {
  fc.assert(
    fc.property(request, record, (told, of) => {
      const line = lineOf(told, of);
      assert.equal(line.indexOf('\n'), line.length - 1);
      const expected = { level: 'info', time: '1970-01-01T00:00:01.000Z', ...told, ...of, msg: 'request' };
      assert.deepEqual(JSON.parse(line), expected);
    }),
  );
});

test('a level that is off writes nothing', () => {
  const lines: string[] = [];
  const log = makeLog({
    level: 'warn',
    format: 'json',
    milliseconds: () => 0,
    destination: { write: (line) => lines.push(line) },
  });
  requestLines(log, () => 0)(
    'info',
    { id: '00', status: 200, ms: 1, address: '::1' },
    { operation: 'refresh', outcome: 'accepted' },
  );
  assert.deepEqual(lines, []);
});
