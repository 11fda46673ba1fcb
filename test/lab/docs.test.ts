import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, globSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { after, suite, test } from 'node:test';
import { renderMarkdown } from '../../src/doors/pages/docs/markdown.ts';
import { temporaryFolder } from '../temporary-folder.ts';

suite('npm run docs', () => {
  const folder = temporaryFolder('docs');
  after(() => rmSync(folder, { recursive: true }));
  const made = spawnSync(process.execPath, ['lab/docs/main.ts', folder], { encoding: 'utf8' });
  const pages = globSync('**/*.html', { cwd: folder });

  test('makes a page of every page', () => {
    assert.equal(made.status, 0, made.stderr);
    assert.ok(pages.length > 40);
  });

  test('every link to another page leads to a page and a heading that exist', () => {
    const broken = pages.flatMap((page) => {
      const html = readFileSync(join(folder, page), 'utf8');
      const links = [...html.matchAll(/(?:href|src)="([^"]+)"/g)].map(([, target = '']) => target);
      return links
        .filter((target) => !/^https:/.test(target) && !leadsSomewhere(page, target))
        .map((t) => `${page}: ${t}`);
    });
    assert.deepEqual(broken, []);
  });

  test('no page loads anything from elsewhere', () => {
    for (const page of pages)
      assert.doesNotMatch(readFileSync(join(folder, page), 'utf8'), /src="https?:|@import|url\(/);
  });

  function leadsSomewhere(page: string, target: string): boolean {
    const [path = '', anchor] = target.split('#');
    const file = path === '' ? page : join(dirname(page), path);
    if (!existsSync(join(folder, file))) return false;
    return anchor === undefined || readFileSync(join(folder, file), 'utf8').includes(`id="${anchor}"`);
  }
});

test('Markdown: text from a page cannot become markup', () => {
  const { html } = renderMarkdown(
    '# A `<b>`\n\nText <script> & `<i>`\n\n| a | b |\n|---|---:|\n| x\\|y | <u> |',
    (to) => to,
  );
  assert.doesNotMatch(`${html}`, /<(script|b|i|u)>/);
  assert.match(`${html}`, /<td>x\|y<\/td><td class="right">&lt;u&gt;<\/td>/);
});
