// Authorization code with PKCE (RFC 6749 4.1, RFC 7636): the browser of this computer brings the code to a port on loopback (RFC 8252 7.3).
import { spawn } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { inert } from '../cli/terminal.ts';
import type { Reply } from '../door/reply.ts';
import { device } from './device.ts';
import type { Way } from './way.ts';

export interface BrowserOptions {
  /** Shows the person where to go; the page may have opened by itself. Left out: two lines on standard error. */
  readonly show?: (address: string) => void;
  /** Opens the page. Left out: with the program that this system has for it. */
  readonly open?: (address: string) => void;
  readonly scope?: string | undefined;
  /** If the server or the integration has no authorization codes. Left out: `device`. */
  readonly otherwise?: Way;
}

/** Most operators register `http://127.0.0.1/callback`, which allows any port. */
const CALLBACK = '/callback';

/** A person confirms in the browser of this computer. If the grant ends, a person must confirm again: call `login()`. */
export function browser({
  show = showOnStandardError,
  open = openBrowser,
  scope,
  otherwise = device({ scope }),
}: BrowserOptions = {}): Way {
  return {
    ...otherwise,
    start: async (door, signal) => {
      const verifier = randomBytes(32).toString('base64url');
      const state = randomBytes(16).toString('base64url');
      const callback = await listen(state, signal);
      try {
        const redirect_uri = `http://127.0.0.1:${callback.port}${CALLBACK}`;
        const address = await door.authorizationAddress(
          {
            response_type: 'code',
            redirect_uri,
            scope,
            state,
            code_challenge: createHash('sha256').update(verifier).digest('base64url'),
            code_challenge_method: 'S256',
          },
          { signal },
        );
        if (address === undefined) return await (otherwise.start?.(door, signal) ?? NO_WAY);
        show(address.url);
        open(address.url);
        const answer = await callback.answer;
        const refused = whyRefused(answer, address.issuer);
        if (refused) return refused;
        const code = answer.get('code') ?? '';
        return await door.token(
          { grant_type: 'authorization_code', code, redirect_uri, code_verifier: verifier },
          { signal },
        );
      } finally {
        callback.close();
      }
    },
  };
}

function showOnStandardError(address: string): void {
  process.stderr.write(inert(`Confirm in your browser. If it does not open, open:\n${address}\n`));
}

const NO_WAY: Reply = { kind: 'refused', error: 'unauthorized_client', why: 'There is no way to log in.' };

/** RFC 9207 2.4: a response of another server is not ours. */
function whyRefused(answer: URLSearchParams, issuer: string): Reply | undefined {
  if (answer.get('iss') !== issuer)
    return { kind: 'refused', error: 'invalid_request', why: 'The response came from another server.' };
  const error = answer.get('error');
  if (error === null) return undefined;
  return { kind: 'refused', error, why: answer.get('error_description') ?? error };
}

/** Whether this process runs at a computer with a browser, with somebody in front of it. */
export function hasBrowser(env: NodeJS.ProcessEnv = process.env): boolean {
  if (env['SSH_CONNECTION'] || env['SSH_TTY'] || env['CI'] || !process.stderr.isTTY) return false;
  return (
    process.platform === 'darwin' || process.platform === 'win32' || Boolean(env['DISPLAY'] || env['WAYLAND_DISPLAY'])
  );
}

const OPENERS: Partial<Record<NodeJS.Platform, readonly [string, ...string[]]>> = {
  darwin: ['open'],
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
};

/** If that fails, the person opens the address that was shown. */
function openBrowser(address: string): void {
  const [command, ...args] = OPENERS[process.platform] ?? ['xdg-open'];
  const child = spawn(command, [...args, address], { stdio: 'ignore', detached: true });
  child.on('error', () => undefined);
  child.unref();
}

const PAGE = `<!doctype html><html lang="en"><meta charset="utf-8"><title>Tessera</title><p>You can close this page and go back to the terminal.</p></html>`;

interface Callback {
  readonly port: number;
  readonly answer: Promise<URLSearchParams>;
  close(): void;
}

/** Waits for the request that has our state; others get nothing and change nothing. */
async function listen(state: string, signal: AbortSignal | undefined): Promise<Callback> {
  const { promise: answer, resolve, reject } = Promise.withResolvers<URLSearchParams>();
  answer.catch(() => undefined);
  const server: Server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://127.0.0.1');
    const isOurs = request.method === 'GET' && pathname === CALLBACK && searchParams.get('state') === state;
    const headers = { 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store', connection: 'close' };
    response.writeHead(isOurs ? 200 : 404, headers).end(isOurs ? PAGE : '');
    if (isOurs) resolve(searchParams);
  });
  signal?.addEventListener('abort', () => reject(signal.reason), { once: true });
  await new Promise<void>((listening, failed) => server.once('error', failed).listen(0, '127.0.0.1', listening));
  return { port: (server.address() as AddressInfo).port, answer, close: () => server.close() };
}
