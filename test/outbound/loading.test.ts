// The client behind `fetch` is large: loading it stops the event loop for a tenth of a second. Downloads do without it.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { rudeServer } from './rude-server.ts';

const moduleAt = (path: string) => pathToFileURL(`${import.meta.dirname}/../../src/outbound/${path}`).href;

test('a download does not load the client behind fetch', async (t) => {
  const server = await rudeServer();
  t.after(() => server.close());
  const script = `
    import { download } from ${JSON.stringify(moduleAt('download.ts'))};
    import { guardedFetch } from ${JSON.stringify(moduleAt('guarded-fetch.ts'))};
    const fetch = guardedFetch({ resolve: async () => [], environment: {} });
    const options = { maxBytes: 100, withinMs: 60_000, allowed: ['127.0.0.1'] };
    const { ok, value } = await download(fetch, ${JSON.stringify(`${server.url}/hello`)}, options);
    const isLoaded = process.moduleLoadList.some((name) => name.includes('undici/undici'));
    console.log(JSON.stringify({ ok, text: Buffer.from(value ?? []).toString(), isLoaded }));`;
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', script]);
  assert.deepEqual(JSON.parse(stdout), { ok: true, text: 'hello', isLoaded: false });
});
