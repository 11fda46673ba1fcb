// Callers of a service in a network namespace: they get a token, and refresh while something else happens.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { makeAuthority } from '../../test/authority.ts';
import { keySetOf, platformKey } from '../../test/platform.ts';
import { ROOT, run } from './shell.ts';

export interface CallerFiles {
  readonly certificate: string;
  readonly key: string;
  readonly ca: string;
  /** 8443 if absent. */
  readonly port?: number;
}

const SERVER_AUTH = '1.3.6.1.5.5.7.3.1';

/** An authority with a certificate for the server, and what a caller needs. */
export function makeCertificates() {
  const authority = makeAuthority({ name: 'Lab Root' });
  const server = authority.issue({ dnsNames: ['tokens.example.com', 'localhost'], usages: [SERVER_AUTH] });
  const { pem: certificate, key } = authority.issue({ commonName: 'ada' });
  return { authority: authority.pem, server, caller: { certificate, key, ca: authority.pem } };
}

export interface TourFacts extends CallerFiles {
  readonly password: string;
  readonly assertion: string;
}

const PLATFORM = 'https://ci.example';

/** A platform whose jobs get tokens: its keys, the commands that register it with the file of its keys, and an assertion of a job. */
export async function makePlatform() {
  const key = await platformKey();
  const now = Math.floor(Date.now() / 1000);
  const assertion = await key.sign({
    iss: PLATFORM,
    aud: 'https://tokens.example.com',
    iat: now,
    nbf: now,
    exp: now + 600,
  });
  const register = (file: string) => [
    ['integration', 'change', 'orders-sync', '--assertion', 'yes'],
    ['token-issuer', 'add', 'ci', '--issuer', PLATFORM, '--jwks-file', file, '--when', '/repository=acme/app'],
  ];
  return { keys: keySetOf(key), assertion, register };
}

/** The password that `tessera init` printed. */
export function passwordIn(printed: string): string {
  const [, password] = /shown this once: (\S+)/.exec(printed) ?? [];
  if (password === undefined) throw new Error(`no password in:\n${printed}`);
  return password;
}

/** A token in every way, in the network of process `pid`; throws where one of them fails. */
export function takeTour(pid: number, facts: TourFacts): void {
  const args = ['--target', String(pid), '--net', process.execPath, join(ROOT, 'lab/deploy/tour.ts')];
  console.log(run('nsenter', args, { input: JSON.stringify(facts) }).trimEnd());
}

/** Refreshes in the network of process `pid` while `work` is done, and throws where one request failed. */
export async function callDuring(pid: number, caller: CallerFiles, work: () => void | Promise<void>): Promise<void> {
  const args = ['--target', String(pid), '--net', process.execPath, join(ROOT, 'lab/deploy/caller.ts')];
  const child = spawn('nsenter', args, { stdio: ['pipe', 'pipe', 'inherit'] });
  const ended = once(child, 'exit');
  child.stdin.write(`${JSON.stringify(caller)}\n`);
  let printed = '';
  await new Promise<void>((resolve, reject) => {
    child.stdout.on('data', (text) => {
      printed += text;
      if (printed.includes('token for')) resolve();
    });
    child.once('exit', (code) => reject(new Error(`no token: ${printed} (${code})`)));
  });
  await work();
  child.stdin.end('stop\n');
  const [code] = await ended;
  console.log(printed.trimEnd());
  if (code !== 0) throw new Error('requests failed');
}
