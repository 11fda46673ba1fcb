// /docs/api: the reference, with commands that work as they are shown.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, suite, test } from 'node:test';
import { promisify } from 'node:util';
import { temporaryFolder } from '../../temporary-folder.ts';
import { ORDERS, type RunningService, startService } from './running-service.ts';
import { Visitor } from './visitor.ts';

const MOUNTS = 'authsvc.mounts=[{ path: /authsvc }, { path: /old/authsvc, errorKeys: both }]';

suite('the reference', () => {
  let service: RunningService;
  before(async () => {
    service = await startService({ sets: [MOUNTS] });
  });
  after(() => service.stop());

  const page = async () => (await new Visitor(service).get('/docs/api')).text;

  test('every link of the contents leads to a section, for every mount', async () => {
    const text = await page();
    const targets = [...text.matchAll(/href="#([^"]+)"/g)].map(([, target]) => target).filter((id) => id !== 'content');
    const sections = [...text.matchAll(/<section class="card" id="([^"]+)"/g)].map(([, id]) => id);
    assert.deepEqual(targets, sections);
    assert.equal(new Set(sections).size, sections.length);
    for (const mount of ['/authsvc', '/old/authsvc']) assert.ok(text.includes(`<h2><code>${mount}</code></h2>`), mount);
  });

  test('a command works as shown, with the values of the caller in place of the capital letters', async (t) => {
    const folder = temporaryFolder('docs');
    t.after(() => rmSync(folder, { recursive: true }));
    const authority = join(folder, 'authority.crt');
    writeFileSync(authority, service.authority);
    const commands = [...(await page()).matchAll(/<code translate="no">([^<]*)<\/code>/g)].map(([, command]) =>
      (command ?? '').replaceAll('&#39;', "'").replaceAll('&quot;', '"'),
    );
    const starts = commands.filter((command) => command.includes('/Authorize/Device'));
    assert.equal(starts.length, 2);
    assert.equal(commands.length, 12);
    for (const command of starts) {
      assert.ok(command.includes(service.url), command);
      const filled = command.replace('CLIENT_ID', ORDERS.clientId).replace('SCOPE', 'orders:read');
      const trusting = filled.replace('curl', `curl --silent --cacert '${authority}'`);
      const { stdout } = await promisify(execFile)('bash', ['-c', trusting], { timeout: 10_000 });
      assert.match(String((JSON.parse(stdout) as Record<string, unknown>)['user_code']), /^\w{4}-\w{4}$/);
    }
  });
});
