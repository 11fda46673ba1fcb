// A refused certificate: what the caller reads, and what the operator finds in the log by the request id.
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { suite, test } from 'node:test';
import { readPem } from '../../src/pki/der/pem.ts';
import { makeAuthority } from '../authority.ts';
import { commandEnvironment, TESSERA } from '../cli/command.ts';
import { freePort } from '../free-port.ts';
import { given } from '../given.ts';
import { temporaryFolder } from '../temporary-folder.ts';
import { type Answer, callerOver, json, type Reach, reachOf } from './caller.ts';
import { SERVER_AUTH, startService } from './service.ts';
import { CERTIFICATE, CLIENT } from './steps.ts';

async function authorize(reach: Reach, client_id = CLIENT): Promise<Answer> {
  const caller = callerOver('HTTP/1.1', reach);
  const answer = await caller.ask({ path: CERTIFICATE, ...json({ client_id, scope: 'orders:read' }) });
  caller.close();
  return answer;
}

suite('a refused certificate [spec-gaps: Authorize/Certificate]', () => {
  const authority = makeAuthority({ name: 'Refusing Root' });
  const service = given(() => startService({ issuers: [{ label: 'refusing', certificate: authority.certificate }] }));

  const CASES = [
    {
      certificate: authority.issue({ commonName: 'ada', usages: [SERVER_AUTH] }),
      words: /its extended key usage does not allow client authentication\. Request \S+\.$/,
      line: { rule: 'client-usage', setting: 'every profile', issuer: 'refusing', profile: 'rfc5280' },
    },
    {
      certificate: authority.issue({ commonName: 'nobody' }),
      words: /^No identity belongs to this client certificate\. Request \S+\.$/,
      line: { rule: 'identity-mapped', setting: 'identities: directory', issuer: 'refusing', profile: 'rfc5280' },
    },
  ];
  for (const { certificate, words, line } of CASES) {
    test(`${line.rule}: the caller gets general words and the request id, the log rule, profile and setting`, async () => {
      const { status, json: body } = await authorize(reachOf(service, certificate));
      assert.deepEqual([status, body['Error']], [401, 'invalid_client']);
      const description = String(body['Error_description']);
      assert.match(description, words);
      const [, id] = /Request (\S+)\.$/.exec(description) ?? [];
      const logged = service.logLines.map((text) => JSON.parse(text) as Record<string, unknown>);
      const { rule, setting, issuer, profile } =
        logged.find((entry) => entry['id'] === id && entry['rule'] === line.rule && 'steps' in entry) ??
        assert.fail('no log line has the request id');
      assert.deepEqual({ rule, setting, issuer, profile }, line);
      assert.doesNotMatch(description, /refusing|rfc5280/);
    });
  }
});

test('the issuer of the quick start accepts what plain `openssl x509 -req` makes', async (t) => {
  const folder = temporaryFolder('quickstart');
  t.after(() => rmSync(folder, { recursive: true, force: true, maxRetries: 20 }));
  const port = await freePort();
  const args = [TESSERA, '--set', `listeners.0.port=${port}`, 'quickstart'];
  const service = spawn(process.execPath, args, { cwd: folder, env: commandEnvironment(), stdio: 'pipe' });
  t.after(() => service.kill('SIGKILL'));
  for await (const line of createInterface({ input: service.stdout })) if (line.includes('is ready at')) break;
  service.stdout.resume();
  const openssl = (command: string) =>
    execFileSync('openssl', command.split(' '), { cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] });
  openssl('req -new -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout ada.key -out ada.csr -subj /CN=ada');
  openssl(
    'x509 -req -in ada.csr -CA data/authority.crt -CAkey data/authority.key -CAcreateserial -out ada.crt -days 30',
  );
  const read = (name: string) => readFileSync(join(folder, name), 'utf8');
  const certificate = { chain: readPem(read('ada.crt'), 'CERTIFICATE'), key: read('ada.key') };
  const answer = await authorize({ port, ca: read('data/authority.crt'), certificate }, 'quickstart');
  assert.equal(answer.status, 200, answer.text);
});
