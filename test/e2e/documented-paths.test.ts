// Every path that a page names is asked for, with the method that it names.
// Only in test:all: documents as printed
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { spansOf } from '../house/mentions.ts';
import { startService } from './service.ts';

const ROOT = join(import.meta.dirname, '../..');
const PAGES = globSync(['*.md', 'docs/**/*.md', 'sdk/*/README.md'], { cwd: ROOT });
/** Paths of files, of other programs, of claims and of mounts that an operator chooses. */
const ELSEWHERE =
  /^\/(?:etc|var|usr|opt|run|srv|tmp|dev|backup|proc|elsewhere|legacyauth|legacysdk|orders|ref|repository|repository_owner_id|environment|sub|groups|openid|kubernetes\.io|v1|check|\/)(?:\/|$)/;
/** What the paths of a door begin with. */
const PREFIXES = ['/authsvc', '/oauth2', '/.well-known', '/admin', '/admin/v1', '/console'];

test('every path in a code span is served', async () => {
  await using service = await startService({ listeners: [{ tls: true }] });
  const caller = service.caller();
  const named = PAGES.flatMap((path) => spansOf({ path, text: readFileSync(join(ROOT, path), 'utf8') }))
    .map(({ page, text }) => ({ page, found: /^(?:(GET|POST|HEAD) )?(\/[\w./-]*)$/.exec(text) }))
    .flatMap(({ page, found }) => (found ? [{ page, method: found[1] ?? 'GET', path: found[2] ?? '' }] : []))
    .filter(({ path }) => !ELSEWHERE.test(path) && !PREFIXES.includes(path));
  assert.ok(named.length > 40, `${named.length}`);
  const missing: string[] = [];
  for (const { page, method, path } of named) {
    const { status } = await caller.ask({ method, path, headers: { accept: 'text/html' } });
    if (status === 404) missing.push(`${page}: ${method} ${path}`);
  }
  assert.deepEqual(missing, []);
});
