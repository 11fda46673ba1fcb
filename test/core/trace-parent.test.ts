// https://www.w3.org/TR/trace-context/#traceparent-header
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { parseTraceParent } from '../../src/core/trace-parent.ts';

const TRACE = '0af7651916cd43dd8448eb211c80319c';
const SPAN = 'b7ad6b7169203331';

suite('traceparent', () => {
  test('version 00 is parsed; the last bit of the flags says whether the caller records', () => {
    const parsed = (flags: string) => parseTraceParent(`00-${TRACE}-${SPAN}-${flags}`);
    assert.deepEqual(parsed('01'), { traceId: TRACE, spanId: SPAN, isSampled: true });
    assert.deepEqual(parsed('00'), { traceId: TRACE, spanId: SPAN, isSampled: false });
    assert.equal(parsed('ff')?.isSampled, true);
    assert.equal(parsed('fe')?.isSampled, false);
  });

  test('a later version may have more fields', () => {
    for (const rest of ['', '-', '-what-the-future-brings'])
      assert.equal(parseTraceParent(`cc-${TRACE}-${SPAN}-01${rest}`)?.traceId, TRACE, rest);
    const begin = `cc-${TRACE}-${SPAN}-01-`;
    assert.equal(parseTraceParent(begin.padEnd(200, 'x'))?.traceId, TRACE, 'up to 200 characters');
    assert.equal(parseTraceParent(begin.padEnd(201, 'x')), undefined);
  });

  const MALFORMED: readonly [why: string, text: unknown][] = [
    ['empty', ''],
    ['not a text', [`00-${TRACE}-${SPAN}-01`]],
    ['upper case', `00-${TRACE.toUpperCase()}-${SPAN}-01`],
    ['a trace id of zeros', `00-${'0'.repeat(32)}-${SPAN}-01`],
    ['a span id of zeros', `00-${TRACE}-${'0'.repeat(16)}-01`],
    ['a short trace id', `00-${TRACE.slice(1)}-${SPAN}-01`],
    ['a long span id', `00-${TRACE}-${SPAN}0-01`],
    ['no flags', `00-${TRACE}-${SPAN}`],
    ['version ff', `ff-${TRACE}-${SPAN}-01`],
    ['version 00 with more', `00-${TRACE}-${SPAN}-01-x`],
    ['a later version with more, not set apart', `01-${TRACE}-${SPAN}-01x`],
    ['spaces around', ` 00-${TRACE}-${SPAN}-01 `],
    ['two headers, joined', `00-${TRACE}-${SPAN}-01, 00-${TRACE}-${SPAN}-01`],
    ['a line break', `01-${TRACE}-${SPAN}-01-\n`],
    ['quotes in an id', `00-${TRACE.slice(2)}""-${SPAN}-01`],
  ];
  for (const [why, text] of MALFORMED)
    test(`malformed, so ignored: ${why}`, () => assert.equal(parseTraceParent(text), undefined));
});
