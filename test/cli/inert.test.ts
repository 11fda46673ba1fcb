// What commands print about a server, a store or a file cannot control the terminal.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';

const OUTPUT = new URL('../../src/cli/terminal/output.ts', import.meta.url).pathname;
const HOSTILE = 'a\u001b]0;b\u0007\u202ec\u2066d\u200be\u009b2Jf';
const ACTIVE = /[^\P{C}\n]/u;

/** What a function of output.ts writes for a hostile text. */
function printed(call: string): string {
  const script = `const text = ${JSON.stringify(HOSTILE)}; const out = await import(${JSON.stringify(OUTPUT)}); out.${call};`;
  const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '--eval', script], {
    encoding: 'utf8',
  });
  return stdout + stderr;
}

for (const call of [
  "printTable(['x'], [[text]])",
  'printRecord({ x: text })',
  'print(text)',
  'remark(text)',
  'printOnly(text, {})',
])
  test(`${call}: neither escape sequences nor bidirectional controls`, () => {
    const shown = printed(call);
    assert.match(shown, /a\?\]0;b\?\?c\?d\?e\?2Jf/);
    assert.doesNotMatch(shown, ACTIVE);
  });

for (const call of ['printJson({ x: text })', 'printJsonLine({ x: text })'])
  test(`${call}: they are escaped, and the value is the same`, () => {
    const shown = printed(call);
    assert.doesNotMatch(shown, ACTIVE);
    assert.equal(JSON.parse(shown).x, HOSTILE);
  });
