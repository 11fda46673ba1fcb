// docs/exactly-once-refresh.md is a specification: our code and a second implementation must match its vectors.
// Needs: python3
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { computeVectors, type Vectors } from './vectors.ts';

const file = fileURLToPath(new URL('../../docs/vectors/exactly-once-refresh.json', import.meta.url));
const published = JSON.parse(readFileSync(file, 'utf8')) as Vectors;

test('the published vectors match the code: a change here breaks every issued token', () => {
  assert.deepEqual(published, computeVectors());
});

test('the vectors show both derivations and every standing', () => {
  assert.deepEqual(
    new Set(published.generations.map(({ derivedFrom }) => derivedFrom)),
    new Set([undefined, 'secret', 'root']),
  );
  const standings = new Set(published.presentations.map(({ standing }) => standing));
  assert.deepEqual([...standings].sort(), ['ahead', 'ancestor', 'current', 'foreign', 'last-spent', 'spent']);
  const repeats = published.presentations.filter(
    ({ standing }) => standing === 'last-spent' || standing === 'ancestor',
  );
  assert.ok(repeats.length > 0 && repeats.every(({ row, repeats: generation }) => generation === row));
});

test('an independent implementation in Python agrees with every vector', () => {
  const script = fileURLToPath(new URL('./exactly_once.py', import.meta.url));
  const { status, stdout, stderr } = spawnSync('python3', [script, file], { encoding: 'utf8' });
  assert.equal(status, 0, stderr);
  const { generations, presentations } = published;
  assert.match(stdout, new RegExp(`^${generations.length} generations, ${presentations.length} presentations agree`));
});

test('the independent implementation detects a change of any vector', () => {
  const script = fileURLToPath(new URL('./exactly_once.py', import.meta.url));
  const [first, second, ...rest] = published.generations;
  const [presented, ...others] = published.presentations;
  assert.ok(first && second && presented);
  const changed = (text: string) => text.replace(/[^0]/, (character) => (character === '1' ? '2' : '1'));
  const wrong = [
    { ...published, accessHash: changed(published.accessHash) },
    { ...published, presentations: [{ ...presented, standing: 'spent' }, ...others] },
    { ...published, presentations: [{ ...presented, repeats: 1 }, ...others] },
    ...(['secret', 'refreshHash', 'refreshToken', 'accessToken', 'nonce'] as const).map((name) => {
      return { ...published, generations: [first, { ...second, [name]: changed(second[name]) }, ...rest] };
    }),
  ];
  for (const vectors of wrong)
    assert.match(
      String(spawnSync('python3', [script, '-'], { input: JSON.stringify(vectors) }).stderr),
      /AssertionError/,
    );
});
