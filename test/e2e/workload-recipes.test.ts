// The recipes of docs/workloads.md for operators and workloads, run as they are printed, with the tools that they name. The platforms
// are replaced: a server that gives tokens to jobs, a command that prints what spire-agent prints.
// Needs: jq, curl
// Only in test:all: documents as printed
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { after, suite, type TestContext, test } from 'node:test';
import { promisify } from 'node:util';
import { parse } from 'yaml';
import { GITHUB, GITLAB, KUBERNETES, SPIFFE } from '../assertions/recorded-claims.ts';
import { makeAuthority } from '../authority.ts';
import { Commands } from '../cli/commands.ts';
import { blocksOf } from '../house/mentions.ts';
import { keySetOf, platformKey } from '../platform.ts';
import { registryFollows } from './registry-follows.ts';
import { SERVER_AUTH, startService, type TestService } from './service.ts';

const PAGE = readFileSync('docs/workloads.md', 'utf8');
const HOST = 'tokens.example.com';
const SHELLS = ['sh', 'bash'] as const;
const key = await platformKey('k1', 'RS256');
const commands = new Commands();
after(() => commands.close());

/** The part of the page under a heading. */
function sectionOf(heading: string) {
  const text = PAGE.split(`\n## ${heading}\n`)[1] ?? '';
  const section = text.split('\n## ')[0] ?? '';
  const blocks = blocksOf({ path: 'docs/workloads.md', text: section });
  const only = (language: string) => {
    const found = blocks.filter((block) => block.language === language);
    assert.equal(found.length, 1, `${heading}: one block of ${language}`);
    return found[0]?.text ?? '';
  };
  const lines = section.split('\n').filter((line) => /^\$ tessera (?:integration|token-issuer) add /.test(line));
  return { script: () => only('sh'), yaml: () => parse(only('yaml')), lines };
}

/** What every recipe needs: the integration, and how a workload sends the assertion that it has in a file. */
const COMMON = sectionOf('The JWT of a platform');

/** A service that is `https://tokens.example.com` for curl, after the operator typed these commands. */
async function installed(t: TestContext, lines: readonly string[]) {
  const service = await startService({
    settings: { publicUrl: `https://${HOST}` },
    server: (authority) => authority.issue({ commonName: HOST, dnsNames: [HOST], usages: [SERVER_AUTH] }),
  });
  t.after(() => service.stop());
  const { folder } = service;
  const write = (name: string, text: string, mode = 0o600) => writeFileSync(join(folder, name), text, { mode });
  write('.curlrc', `connect-to = "${HOST}:443:127.0.0.1:${service.port}"\n`);
  write('trusted.pem', service.authority.pem);
  write('cluster-ca.pem', makeAuthority({ name: 'Cluster' }).pem);
  write('bundle.json', keySetOf({ jwk: { ...key.jwk, use: 'jwt-svid' } }));
  write('jwks.json', keySetOf(key));
  mkdirSync(join(folder, 'bin'));
  const run = async (...args: readonly string[]) => {
    const { status, printed } = await commands.run(args, { folder });
    assert.equal(status, 0, `${args.join(' ')}\n${printed}`);
    return printed;
  };
  for (const line of lines) {
    const words = (line.slice(10).match(/'[^']*'|[^ ]+/g) ?? []).map((word) => word.replaceAll("'", ''));
    await run(...words);
    if (words[0] === 'token-issuer') await run('token-issuer', 'change', words[2] ?? '', '--jwks-file', 'jwks.json');
  }
  await registryFollows();
  return { service, write, run };
}

/** A token of the platform for a workload that asks now. */
function signed(recorded: Record<string, unknown>, header: Record<string, unknown> = {}): Promise<string> {
  const now = Math.floor(Date.now() / 1000);
  const unset = { jti: undefined, nbf: undefined, repository: undefined, ref: undefined };
  const id = recorded['jti'] === undefined ? {} : { jti: randomUUID() };
  return key.sign({ ...unset, ...recorded, ...id, nbf: now, iat: now, exp: now + 300 }, header);
}

/** What the last command of the script printed. */
async function ran(shell: string, script: string, { folder }: TestService, environment: Record<string, string> = {}) {
  const PATH = `${join(folder, 'bin')}:${process.env['PATH']}`;
  const env = { PATH, HOME: folder, CURL_HOME: folder, CURL_CA_BUNDLE: join(folder, 'trusted.pem'), ...environment };
  const { stdout } = await promisify(execFile)(shell, ['-e', '-c', script], { cwd: folder, env });
  return JSON.parse(stdout) as { access_token: string; scope: string };
}

suite('the recipes of docs/workloads.md, as printed', () => {
  test('a file with an assertion, as jq and editors write it: the service and explain agree', async (t) => {
    const { service, write, run } = await installed(t, [...COMMON.lines, ...sectionOf('GitHub Actions').lines]);
    for (const shell of SHELLS) {
      for (const end of ['', '\n', '\r\n']) {
        write('assertion.jwt', `${await signed(GITHUB)}${end}`);
        assert.match(await run('token-issuer', 'explain', 'assertion.jwt'), /^accepted: /m);
        assert.equal((await ran(shell, COMMON.script(), service)).scope, 'releases:write');
      }
    }
  });

  test('GitHub Actions', async (t) => {
    const { yaml, lines } = sectionOf('GitHub Actions');
    const { service } = await installed(t, [...COMMON.lines, ...lines]);
    const github = createServer(({ url, headers }, response) => {
      assert.equal(headers.authorization, 'bearer of the job');
      const aud = new URL(url ?? '', 'http://github').searchParams.get('audience');
      void signed({ ...GITHUB, aud }, { x5t: 'thumbprint' }).then((value) =>
        response.end(JSON.stringify({ count: value.length, value })),
      );
    });
    await new Promise<void>((resolve) => github.listen(0, '127.0.0.1', resolve));
    t.after(() => github.close());
    const { port } = github.address() as AddressInfo;
    const job = {
      ACTIONS_ID_TOKEN_REQUEST_TOKEN: 'of the job',
      ACTIONS_ID_TOKEN_REQUEST_URL: `http://127.0.0.1:${port}/token?api-version=2.0`,
    };
    const { permissions, steps } = yaml() as { permissions: object; steps: readonly { run: string }[] };
    assert.deepEqual(permissions, { 'id-token': 'write' });
    for (const shell of SHELLS)
      assert.equal((await ran(shell, steps[0]?.run ?? '', service, job)).scope, 'releases:write');
  });

  test('GitLab CI', async (t) => {
    const { yaml, lines } = sectionOf('GitLab CI');
    const { service } = await installed(t, [...COMMON.lines, ...lines]);
    const { deploy } = yaml() as { deploy: { id_tokens: { ASSERTION: { aud: string } }; script: readonly string[] } };
    for (const shell of SHELLS) {
      const ASSERTION = await signed({ ...GITLAB, ...deploy.id_tokens.ASSERTION });
      assert.equal((await ran(shell, deploy.script.join('\n'), service, { ASSERTION })).scope, 'releases:write');
    }
  });

  test('Kubernetes', async (t) => {
    const { yaml, lines } = sectionOf('Kubernetes');
    const { service, write } = await installed(t, [...COMMON.lines, ...lines]);
    const [volume] = (yaml() as { volumes: readonly { projected: { sources: readonly Projected[] } }[] }).volumes;
    const { path, audience } = volume?.projected.sources[0]?.serviceAccountToken ?? { path: '', audience: '' };
    write(path, await signed({ ...KUBERNETES, aud: [audience] }, { typ: undefined }));
    for (const shell of SHELLS) assert.equal((await ran(shell, COMMON.script(), service)).scope, 'releases:write');
  });

  test('SPIFFE', async (t) => {
    const { script, lines } = sectionOf('SPIFFE');
    const { service, write } = await installed(t, [...COMMON.lines, ...lines]);
    const svid = { spiffe_id: SPIFFE.sub, svid: await signed(SPIFFE), hint: '' };
    const printed = JSON.stringify([{ svids: [svid] }, { bundles: { 'spiffe://example.org': 'e30=' } }], null, 4);
    const asked = `[ "$*" = 'api fetch jwt -audience https://${HOST} -output json' ] || exit 1`;
    write('bin/spire-agent', `#!/bin/sh\n${asked}\ncat <<'END'\n${printed}\nEND\n`, 0o700);
    const both = `${script()}${COMMON.script()}`;
    for (const shell of SHELLS) assert.equal((await ran(shell, both, service)).scope, 'releases:write');
  });
});

interface Projected {
  readonly serviceAccountToken: { readonly path: string; readonly audience: string };
}
