// What the pages door promises on the wire: headers, the first page, settings of the operator.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, suite, test } from 'node:test';
import { makeAssets } from '../../../src/doors/pages/parts/assets.ts';
import { RELEASE } from '../../../src/version.ts';
import { temporaryFolder } from '../../temporary-folder.ts';
import { startCode } from './calling-device.ts';
import { type RunningService, startService } from './running-service.ts';
import { signedIn, Visitor } from './visitor.ts';

let service: RunningService;
before(async () => {
  service = await startService();
});
after(() => service.stop());

suite('headers of pages', () => {
  test('pages have a strict CSP, and forbid framing, referrers and caching', async () => {
    const { headers } = await new Visitor(service).get('/device');
    assert.equal(
      headers['content-security-policy'],
      "default-src 'none'; style-src 'self'; img-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'self'",
    );
    const { headers: withPasskeys } = await new Visitor(service).get('/account/sign-in');
    assert.equal(
      withPasskeys['content-security-policy'],
      "default-src 'none'; style-src 'self'; img-src 'self'; frame-ancestors 'none'; base-uri 'none'; script-src 'self'; connect-src 'self'; form-action 'self'",
    );
    assert.equal(headers['x-frame-options'], 'DENY');
    assert.equal(headers['x-content-type-options'], 'nosniff');
    assert.equal(headers['referrer-policy'], 'no-referrer');
    assert.equal(headers['cache-control'], 'no-store');
    assert.equal(headers['content-type'], 'text/html; charset=utf-8');
  });

  test('refusals are pages with the same headers, in the visitor’s language', async () => {
    const { status, headers, text } = await new Visitor(service, { 'accept-language': 'de' }).get('/account/nothing');
    assert.equal(status, 404);
    assert.match(text, /<html lang="de">[\s\S]*Hier ist nichts/);
    assert.equal(headers['x-frame-options'], 'DENY');
  });

  test('a wrong method on a page gets an HTML 405 with Allow', async () => {
    const { status, headers, text } = await new Visitor(service).post('/account');
    assert.equal(status, 405);
    assert.equal(headers.allow, 'GET');
    assert.match(text, /<!doctype html>/);
  });

  test('paths match in any letter case, with one trailing slash tolerated', async () => {
    for (const path of ['/Device', '/DEVICE/', '/account/Sign-In/']) {
      assert.equal((await new Visitor(service).get(path)).status, 200, path);
    }
  });

  test('assets have a content hash in their URL and are cached for a year', async () => {
    const visitor = new Visitor(service);
    const { text } = await visitor.get('/device');
    const assets = [...text.matchAll(/(?:href|src)="(\/account\/assets\/[^"]+)"/g)].map((match) => match[1] ?? '');
    assert.equal(new Set(assets).size, 2);
    for (const path of assets) {
      const { status, headers } = await visitor.get(path);
      assert.equal(status, 200);
      assert.match(path, /\/[0-9a-f]{16}\//);
      assert.match(String(headers['cache-control']), /max-age=31536000, immutable/);
    }
  });

  test('no page has scripts, inline styles or external URLs', async () => {
    const visitor = await signedIn(service);
    const path = await visitor.enterCode((await startCode(service)).userCode);
    for (const page of [
      '/',
      '/docs',
      '/docs/api',
      '/nothing',
      '/device',
      '/account',
      '/account/password',
      path,
      '/device/qr?user_code=WDJB-MJHT',
      '/device?user_code=WDJB-MJHT',
    ]) {
      const { text } = await visitor.get(page);
      assert.doesNotMatch(text, /<script|\son\w+=|\sstyle=|<style|javascript:/i, page);
      assert.doesNotMatch(text, /(?:href|src|action)="(?!\/|#)/, page);
    }
  });
});

suite('the first page, and paths that no door owns', () => {
  const BROWSER = { accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' };
  const JSON_ONLY = { accept: 'application/json' };

  test('/ says what this is and leads to the device page, the account and the reference, in both languages', async () => {
    for (const [language, lead] of [
      ['en', /gives programs access to web APIs/],
      ['de', /gibt Programmen Zugriff auf Web-APIs/],
    ] as const) {
      const { status, text } = await new Visitor(service, BROWSER).get('/?x=1', { 'accept-language': language });
      assert.equal(status, 200);
      assert.match(text, lead);
      for (const path of ['/device', '/account', '/docs']) assert.ok(text.includes(`href="${path}"`), path);
    }
  });

  test('neither / nor the reference shows strangers the version', async () => {
    for (const path of ['/', '/docs', '/docs/api', '/nothing']) {
      const { text } = await new Visitor(service, BROWSER).get(path);
      assert.ok(!text.includes(RELEASE), path);
    }
  });

  test('a browser gets a 404 page for an unknown path, in its language', async () => {
    for (const path of ['/accountant', '/authsvc', '/favicon.ico', '/%zz']) {
      const { status, text, headers } = await new Visitor(service, BROWSER).get(path, { 'accept-language': 'de' });
      assert.equal(status, 404);
      assert.match(text, /<html lang="de">[\s\S]*Hier ist nichts/, path);
      assert.equal(headers['x-frame-options'], 'DENY');
    }
  });

  test('a program gets JSON for an unknown path, whether it asks for JSON or for anything', async () => {
    for (const accept of [{}, { accept: '*/*' }, JSON_ONLY, { accept: 'application/json, text/html;q=0.5' }]) {
      const { status, headers, text } = await new Visitor(service, accept).get('/accountant');
      assert.equal(status, 404);
      assert.match(String(headers['content-type']), /json/);
      assert.match(text, /There is nothing at this path/);
    }
  });

  test('a request that accepts JSON gets JSON at / and at unknown paths of the pages; others get pages', async () => {
    for (const path of ['/', '/account/nothing']) {
      const { status, text } = await new Visitor(service, JSON_ONLY).get(path);
      assert.deepEqual([status, Object.keys(JSON.parse(text) as object)], [404, ['Error', 'Error_description']]);
      assert.match((await new Visitor(service, BROWSER).get(path)).text, /<!doctype html>/);
    }
  });

  test('a path of the authsvc door is answered in JSON, in a browser too', async () => {
    const { headers } = await new Visitor(service, BROWSER).get('/authsvc/nothing');
    assert.match(String(headers['content-type']), /json/);
  });
});

suite('pages without the store', () => {
  test('an unavailable store gets an HTML 503 in the visitor’s language, made without a lookup', async () => {
    const broken = await startService();
    const visitor = await signedIn(broken);
    await broken.store.close();
    const { status, text } = await visitor.get('/account', { 'accept-language': 'de' });
    assert.equal(status, 503);
    assert.match(text, /Der Dienst ist gerade nicht verfügbar/);
    await broken.stop().catch(() => undefined);
  });
});

suite('operator settings', () => {
  const SVG = '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>';

  test('HSTS is sent for a public host name and not for localhost', async () => {
    assert.equal((await new Visitor(service).get('/device')).headers['strict-transport-security'], undefined);
    const named = await startService({ sets: ['publicUrl=https://tokens.example.com'] });
    const { headers } = await new Visitor(named).get('/device');
    assert.equal(headers['strict-transport-security'], 'max-age=31536000');
    await named.stop();
    const without = await startService({ sets: ['publicUrl=https://tokens.example.com', 'pages.strictTransport=0'] });
    assert.equal((await new Visitor(without).get('/device')).headers['strict-transport-security'], undefined);
    await without.stop();
  });

  test('every response has nosniff', async () => {
    const { style } = makeAssets({ name: 'x', accent: '#0b5fff', strictTransport: 0 });
    const paths = [
      '/device',
      style.path,
      '/docs/openapi.json',
      '/healthz',
      '/readyz',
      '/metrics',
      '/nothing',
      '/authsvc/Authorize/Verify',
      '/account/nothing',
    ];
    for (const path of paths) {
      const { headers, status } = await new Visitor(service).get(path);
      assert.equal(headers['x-content-type-options'], 'nosniff', `${path} ${status}`);
    }
  });

  test('a logo is served as an image that cannot run script when opened by itself', async () => {
    const folder = temporaryFolder('logo');
    writeFileSync(join(folder, 'logo.svg'), SVG);
    const own = await startService({ sets: [`pages.logo=${join(folder, 'logo.svg')}`, 'pages.name=Example access'] });
    const visitor = new Visitor(own);
    const { text } = await visitor.get('/device');
    const path = /src="(\/account\/assets\/[^"]+logo\.svg)"/.exec(text)?.[1] ?? '';
    const { headers, text: served } = await visitor.get(path);
    assert.equal(served, SVG);
    assert.equal(headers['content-type'], 'image/svg+xml');
    assert.match(String(headers['content-security-policy']), /default-src 'none'.*sandbox/);
    assert.match(text, /<title>Connect a device · Example access<\/title>/);
    await own.stop();
  });
});
