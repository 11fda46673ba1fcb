// docs/certificates.md is tested: its commands are run, and its output is compared with the code.
// Needs: openssl
// Only in test:all: documents as printed
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, suite, test } from 'node:test';
import { explainFiles, printExplanation } from '../../src/pki/judge/explain.ts';
import { systemClock } from '../../src/system.ts';
import { Commands } from '../cli/commands.ts';
import { given } from '../given.ts';
import { temporaryFolder } from '../temporary-folder.ts';
import { callerOver, json } from './caller.ts';
import { registryFollows } from './registry-follows.ts';
import { startService } from './service.ts';
import { CERTIFICATE } from './steps.ts';

const PAGE = readFileSync('docs/certificates.md', 'utf8');
const folder = temporaryFolder('documented');
const block = (language: string) =>
  new RegExp(`\`\`\`${language}\n([\\s\\S]*?)\`\`\``).exec(PAGE)?.[1] ?? assert.fail(`the page has no ${language}`);
const file = (name: string) => readFileSync(join(folder, name));

suite('docs/certificates.md', () => {
  const commands = new Commands();

  before(async () => {
    execFileSync('sh', ['-e', '-c', block('sh')], { cwd: folder, stdio: 'pipe' });
  });
  const service = given(() => startService({ issuers: [] }));
  before(async () => {
    for (const command of block('console').trim().split('\n')) await runTessera(command);
    await registryFollows();
  });
  after(async () => {
    await commands.close();
    rmSync(folder, { recursive: true });
  });

  async function runTessera(command: string): Promise<void> {
    const [name, ...words] = command.split(' ');
    assert.equal(name, 'tessera');
    const { status, printed } = await commands.run(['--config', service.configFile, ...words], { folder });
    assert.equal(status, 0, printed);
  }

  test('the quick commands end with a token under the default profile', async () => {
    const certificate = { chain: [derOf('grace.pem')], key: file('grace.key').toString() };
    const caller = callerOver('HTTP/1.1', { port: service.port, ca: service.authority.pem, certificate });
    const body = json({ client_id: 'nightly-orders', scope: 'orders:read' });
    const answer = await caller.ask({ path: CERTIFICATE, ...body });
    caller.close();
    assert.equal(answer.status, 200, answer.text);
    assert.match(String(answer.json['identity']), /^local:\{[0-9a-f-]{36}\}$/);
  });

  test('the explanation on the page is what the command prints', () => {
    const [certificate, issuer] = [file('grace.pem'), file('ca.pem')];
    const settings = { profile: 'strict' } as const;
    const explanation = explainFiles({ certificate, issuers: [issuer], settings, now: systemClock.now() });
    const printed = printExplanation(explanation);
    const shown = block('explain')
      .trim()
      .split('\n')
      .slice(1)
      .filter((line) => line !== '…');
    assert.deepEqual(
      shown.filter((line) => !printed.includes(line)),
      [],
    );
    assert.ok(shown.length > 3);
  });
});

function derOf(name: string): Uint8Array {
  const body = file(name)
    .toString()
    .replace(/-----[A-Z ]+-----|\s/g, '');
  return Buffer.from(body, 'base64');
}
