// Every path, operation and metric that a page mentions must exist.
import { test } from 'node:test';
import { OWNED_SEGMENTS } from '../../src/doors/doors.ts';
import { assertEach, PAGES, SPANS } from './mentioning-pages.ts';
import { read, sourcesIn } from './sources.ts';

test('every path that a code span names is served', () => {
  const named = SPANS.filter(({ text }) => /^(?:(?:GET|POST) )?\/[a-z]+(?:\/\w+)*$/.test(text));
  const ofFiles = /^\/(?:etc|var|usr|opt|run|srv|tmp|dev|backup|proc)\b/;
  const served = [...OWNED_SEGMENTS, 'authsvc', 'check']; // the last of the guard
  assertEach(
    named.filter(({ text }) => !ofFiles.test(text)),
    20,
    (path) => served.includes(path.replace(/^\w+ /, '').split('/')[1] ?? ''),
  );
});

test('every operation that a page names exists', () => {
  const operations = /\b(?:Authorize|Revoke)\/[A-Z]\w+/g;
  const known = new Set(sourcesIn('src/doors/authsvc', '.ts').flatMap(({ text }) => text.match(operations) ?? []));
  const named = PAGES.flatMap(({ path, text }) =>
    (text.match(operations) ?? []).map((name) => ({ page: path, text: name })),
  );
  assertEach(named, 20, (name) => known.has(name));
});

test('every metric that a page names is exported', () => {
  // The notes of earlier releases name what has gone since then.
  const named = SPANS.filter(({ page }) => page !== 'CHANGELOG.md').flatMap(({ page, text }) =>
    (text.match(/\btessera_[a-z]+_[a-z_]+/g) ?? []).map((name) => ({ page, text: name })),
  );
  const metrics = sourcesIn('src/doors/ops', '.ts')
    .map(({ text }) => text)
    .join('');
  const ofGuard = read('sdk/verify/src/guard/metrics.ts');
  const isExported = (name: string) => metrics.includes(` ${name}: `) || ofGuard.includes(`# TYPE ${name} `);
  assertEach(named, 10, (name) => isExported(name.replace(/_(?:bucket|count|sum)$/, '')));
});
