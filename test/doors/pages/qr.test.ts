import assert from 'node:assert/strict';
import { test } from 'node:test';
import { stripVTControlCharacters } from 'node:util';
import { encode } from 'uqr';
import { qrForTerminal } from '../../../src/cli/terminal/qr.ts';

const ADDRESS = 'https://tokens.example.com/device?user_code=WDJB-MJHT';

/** Reads the modules back from half blocks, as a camera would: light is drawn, dark is left out. */
function modulesOf(text: string): boolean[][] {
  return stripVTControlCharacters(text)
    .split('\n')
    .flatMap((line) => [
      line.split('').map((cell) => cell === '█' || cell === '▀'),
      line.split('').map((cell) => cell === '█' || cell === '▄'),
    ]);
}

test('the terminal shows exactly the QR code of the address', () => {
  const { data } = encode(ADDRESS, { border: 2 });
  const drawn = modulesOf(qrForTerminal(ADDRESS)).slice(0, data.length);
  assert.deepEqual(
    drawn.map((row) => row.map((isLight) => !isLight)),
    data,
  );
});

test('the QR code sets its own colours, independent of the terminal background', () => {
  for (const line of qrForTerminal(ADDRESS).split('\n')) {
    assert.ok(line.startsWith('\u001b[97;40m') && line.endsWith('\u001b[0m'));
  }
});

test('the QR code fits a terminal of 80 columns and 24 lines', () => {
  const lines = stripVTControlCharacters(qrForTerminal(ADDRESS)).split('\n');
  assert.ok(lines.length <= 24, `${lines.length} lines`);
  assert.ok(lines.every((line) => line.length <= 80));
});
