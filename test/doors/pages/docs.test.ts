// /docs: the documentation of the running release.
import assert from 'node:assert/strict';
import { globSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, suite, test } from 'node:test';
import { openLibrary } from '../../../src/doors/pages/docs/library.ts';
import { RELEASE } from '../../../src/version.ts';
import { type RunningService, startService } from './running-service.ts';
import { Visitor } from './visitor.ts';

const ROOT = join(import.meta.dirname, '../../..');
const LIBRARY = openLibrary();

suite('the documentation', () => {
  let service: RunningService;
  before(async () => {
    service = await startService();
  });
  after(() => service.stop());

  test('has every page of the repository but the changelog, which names versions', () => {
    const sources = globSync(['*.md', 'docs/**/*.md', 'sdk/*/README.md'], { cwd: ROOT });
    const served = LIBRARY.pages.map(({ source }) => source);
    assert.deepEqual(served.toSorted(), sources.filter((source) => source !== 'CHANGELOG.md').toSorted());
    assert.equal(new Set(LIBRARY.pages.map(({ path }) => path.toLowerCase())).size, served.length);
  });

  test('every link leads to a page, a heading or a file that is served; nothing is loaded from elsewhere', async () => {
    const visitor = new Visitor(service);
    const texts = new Map<string, string>();
    const load = async (path: string) => {
      const { status, text } = await visitor.get(path);
      assert.equal(status, 200, path);
      texts.set(path, text);
      return text;
    };
    for (const { path } of LIBRARY.pages) await load(path);
    for (const path of ['/docs', '/docs/api', ...LIBRARY.files.map((file) => file.path)]) await load(path);
    const known = [...texts.keys(), '/docs/openapi.json', '/', '/device', '/account'];
    const broken = LIBRARY.pages.flatMap(({ path: page }) => {
      const links = [...(texts.get(page) ?? '').matchAll(/<a [^>]*href="([^"]+)"/g)].map(([, target = '']) => target);
      return links
        .filter((target) => !target.startsWith('https://'))
        .filter((target) => {
          const [path = '', anchor] = target.split('#');
          const text = texts.get(path === '' ? page : path);
          return !(path === '' || known.includes(path)) || (anchor !== undefined && !text?.includes(`id="${anchor}"`));
        })
        .map((target) => `${page}: ${target}`);
    });
    assert.deepEqual(broken, []);
    for (const [path, text] of texts) assert.doesNotMatch(text, /<(?:img|link|script)[^>]*(?:src|href)="(?!\/)/, path);
  });

  test('shows strangers the version on no page', async () => {
    for (const { path } of LIBRARY.pages) {
      const { text } = await new Visitor(service).get(path);
      assert.doesNotMatch(text, new RegExp(`(?<![\\d.])${RELEASE.replaceAll('.', '\\.')}(?![\\d.])`), path);
    }
  });

  test('has the headers of other pages, may be kept, and sets no cookie', async () => {
    const { headers } = await new Visitor(service).get('/docs/operators');
    const { headers: others } = await new Visitor(service).get('/device');
    for (const name of ['content-security-policy', 'x-frame-options', 'x-content-type-options', 'referrer-policy'])
      assert.equal(headers[name], others[name], name);
    assert.equal(headers['cache-control'], 'public, max-age=600');
    assert.equal(headers.vary, 'accept-language');
    assert.equal(headers['set-cookie'], undefined);
  });

  test('a browser that has the page gets 304, also among other tags; another language has another tag', async () => {
    const visitor = new Visitor(service);
    for (const path of ['/docs/errors', '/docs/images/first-minute.svg']) {
      const { headers } = await visitor.get(path);
      const again = await visitor.get(path, { 'if-none-match': `"x", W/${headers.etag}` });
      assert.deepEqual([again.status, again.text, again.headers.etag], [304, '', headers.etag]);
    }
    const english = await visitor.get('/docs/errors', { 'accept-language': 'en' });
    const german = await visitor.get('/docs/errors', { 'accept-language': 'de' });
    assert.notEqual(english.headers.etag, german.headers.etag);
    assert.match(german.text, /<html lang="de">[\s\S]*<summary>Token erhalten<[\s\S]*<article class="text" lang="en">/);
  });

  test('HEAD gets the headers alone; other methods are refused', async () => {
    const posted = await new Visitor(service).post('/docs/errors');
    assert.deepEqual([posted.status, posted.headers.allow], [405, 'GET, HEAD']);
    assert.match((await new Visitor(service).get('/docs/nothing')).text, /There is nothing here/);
    assert.equal((await new Visitor(service).get('/docs/../../package.json')).status, 404);
    assert.equal((await new Visitor(service).get('/DOCS/Operators/')).status, 200);
    const head = await new Visitor(service).head('/docs/errors');
    assert.deepEqual([head.status, head.text], [200, '']);
    assert.ok(Number(head.headers['content-length']) > 1000);
  });

  test('search finds the section, with the words in the heading first; markup in a query stays text', async () => {
    const visitor = new Visitor(service);
    const { text } = await visitor.get('/docs/search?q=retry+window');
    const [first] = [...text.matchAll(/<li lang="en"><a href="([^"]+)"/g)].map(([, target]) => target);
    assert.match(first ?? '', /^\/docs\/(?:exactly-once-refresh#specification|callers#refresh-and-lost-responses)$/);
    assert.match((await visitor.get('/docs/search?q=zyzzyva')).text, /Nothing found/);
    assert.match((await visitor.get('/docs/search')).text, /Nothing found/);
    const hostile = await visitor.get('/docs/search?q=%22%3E%3Cscript%3Ealert(1)%3C/script%3E');
    assert.doesNotMatch(hostile.text, /<script/);
  });

  test('can be read while the store is away, also with a session', async () => {
    const broken = await startService();
    await broken.store.close();
    assert.equal((await new Visitor(broken).get('/docs/troubleshooting')).status, 200);
    await broken.stop().catch(() => undefined);
  });

  test('pages.docs=false leaves the API reference', async (t) => {
    const without = await startService({ sets: ['pages.docs=false'] });
    t.after(() => without.stop());
    const visitor = new Visitor(without);
    const { status, headers } = await visitor.get('/docs');
    assert.deepEqual([status, headers.location], [303, '/docs/api']);
    assert.equal((await visitor.get('/docs/operators')).status, 404);
    const { status: there, text } = await visitor.get('/docs/api');
    assert.equal(there, 200);
    assert.doesNotMatch(text, /href="\/docs"/);
  });
});
