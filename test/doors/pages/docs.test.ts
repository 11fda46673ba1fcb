// /docs: the API reference, and what every refusal means.
import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { DECLARED } from '../../../src/core/refusal.ts';
import { RELEASE } from '../../../src/version.ts';
import { type RunningService, startService } from './running-service.ts';
import { signedIn, Visitor } from './visitor.ts';

const PATHS = ['/docs', '/docs/api', '/docs/admin-api', '/docs/errors'];

suite('the documentation', () => {
  let service: RunningService;
  before(async () => {
    service = await startService();
  });
  after(() => service.stop());

  test('every link leads to a page and a heading that are served; nothing is loaded from elsewhere', async () => {
    const visitor = new Visitor(service);
    const texts = new Map<string, string>();
    for (const path of PATHS) {
      const { status, text } = await visitor.get(path);
      assert.equal(status, 200, path);
      texts.set(path, text);
    }
    const known = [...PATHS, '/docs/openapi.json', '/admin/v1/openapi.json', '/', '/device', '/account'];
    const broken = [...texts].flatMap(([page, text]) => {
      const links = [...text.matchAll(/<a [^>]*href="([^"]+)"/g)].map(([, target = '']) => target);
      return links
        .filter((target) => !target.startsWith('https://'))
        .filter((target) => {
          const [path = '', anchor] = target.split('#');
          const there = path === '' ? text : texts.get(path);
          return !(path === '' || known.includes(path)) || (anchor !== undefined && !there?.includes(`id="${anchor}"`));
        })
        .map((target) => `${page}: ${target}`);
    });
    assert.deepEqual(broken, []);
    for (const [path, text] of texts) assert.doesNotMatch(text, /<(?:img|link|script)[^>]*(?:src|href)="(?!\/)/, path);
  });

  test('every refusal is an anchor of /docs/errors, where the console and problem details point', async () => {
    const { text } = await new Visitor(service).get('/docs/errors');
    const anchors = [...text.matchAll(/ id="([^"]+)"/g)].map(([, name = '']) => name);
    const refusals = [...Object.keys(DECLARED), 'administration'];
    assert.deepEqual(
      refusals.filter((refusal) => anchors.filter((name) => name === refusal).length !== 1),
      [],
    );
    assert.match(
      text,
      /<dt id="polled-too-fast"><code>polled-too-fast<\/code><\/dt><dd>Wait the interval; nothing is lost\./,
    );
    assert.doesNotMatch(text, /<dd>(?:undefined)?<\/dd>/);
  });

  test('shows the version on no page', async () => {
    for (const path of PATHS) {
      const { text } = await (await signedIn(service)).get(path);
      assert.doesNotMatch(text, new RegExp(`(?<![\\d.])${RELEASE.replaceAll('.', '\\.')}(?![\\d.])`), path);
    }
  });

  test('has the headers of other pages, and sets no cookie', async () => {
    const { headers } = await new Visitor(service).get('/docs/errors');
    const { headers: others } = await new Visitor(service).get('/device');
    for (const name of ['content-security-policy', 'x-frame-options', 'x-content-type-options', 'referrer-policy'])
      assert.equal(headers[name], others[name], name);
    assert.equal(headers['set-cookie'], undefined);
  });

  test('is in English inside a page of the language that the browser asks for', async () => {
    for (const path of PATHS) {
      const { text } = await new Visitor(service, { 'accept-language': 'de' }).get(path);
      assert.match(text, /<html lang="de">[\s\S]*<main [^>]*>\s*<(?:article|div) class="\w+" lang="en">/, path);
    }
  });

  test('HEAD gets the headers alone; other methods and paths are refused', async () => {
    const posted = await new Visitor(service).post('/docs/errors');
    assert.deepEqual([posted.status, posted.headers.allow], [405, 'GET, HEAD']);
    assert.match((await new Visitor(service).get('/docs/nothing')).text, /There is nothing here/);
    assert.equal((await new Visitor(service).get('/docs/../../package.json')).status, 404);
    assert.equal((await new Visitor(service).get('/DOCS/Errors/')).status, 200);
    const head = await new Visitor(service).head('/docs/errors');
    assert.deepEqual([head.status, head.text], [200, '']);
    assert.ok(Number(head.headers['content-length']) > 1000);
  });

  test('can be read while the store is away, also with a session', async () => {
    const broken = await startService();
    const visitor = await signedIn(broken);
    await broken.store.close();
    assert.equal((await visitor.get('/account')).status, 503);
    for (const path of PATHS) assert.equal((await visitor.get(path)).status, 200, path);
    await broken.stop().catch(() => undefined);
  });
});
