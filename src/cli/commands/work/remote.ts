// Acts at a service, over its admin door, with the access token of a login.
import { readFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { type RequestOptions, request } from 'node:https';
import { accept } from '../../../core/outcome.ts';
import type { Given } from '../../../operations/admin/acts/act.ts';
import { ACTS, type ActName } from '../../../operations/admin/acts.ts';
import { decline } from '../../../operations/admin/admin.ts';
import { isRefusal } from '../../../operations/admin/refusals.ts';
import { CommandFailure } from '../../terminal/exit.ts';
import { type CurrentLogin, currentLogin } from '../caller.ts';
import { type Administration, administrationBy, type DryRun, type ServerFlags } from '../steps.ts';

export async function atService({ server, login: profile }: ServerFlags): Promise<Administration> {
  const login = await currentLogin(profile);
  const wanted = server && (server.includes('://') ? server : `https://${server}`).replace(/\/$/, '');
  if (wanted !== undefined && wanted !== login.server)
    throw new CommandFailure(
      'login',
      `the login is at ${login.server}, not at ${wanted}`,
      `Do: ${loginAt(wanted)}, or name another with --login.`,
    );
  return administrationBy(async (name, given = {}, dryRun = {}) => {
    refuseHere(dryRun);
    refuseNameless(name, given);
    const { status, etag, value } = await send(login, name, given);
    if (status >= 400) return refusalOf(name, status, value, login);
    const revision = /^"(\d+)"$/.exec(etag ?? '')?.[1];
    return accept({ value: value as never, ...(revision !== undefined && { revision: Number(revision) }) });
  });
}

function refuseHere(dryRun: DryRun): void {
  const [name] = Object.entries(dryRun).find(([, value]) => value !== undefined) ?? [];
  if (name === undefined) return;
  const todo = 'Leave it out, or leave --server out.';
  throw new CommandFailure('usage', `--${name} works beside the store only`, todo);
}

/** An address with such a name is that of something else, such as the whole list. */
function refuseNameless(name: ActName, { id = '' }: Given): void {
  if (!ACTS[name].path.includes('{id}') || !/^\.{0,2}$/.test(id)) return;
  throw new CommandFailure('refused', `a service knows nothing by the name ${JSON.stringify(id)}`, 'Name it in full.');
}

/** A problem whose reason this release knows is worded as beside the store. */
function refusalOf(name: ActName, status: number, problem: unknown, { server }: CurrentLogin) {
  const given = (problem ?? {}) as Partial<Record<string, string>>;
  const { reason = '', about = '', detail = `it answered ${status}` } = given;
  if (isRefusal(reason)) return decline(reason, about);
  if (status === 404 && reason === '')
    throw new CommandFailure('refused', `${server} does not serve the admin door`, NO_DOOR);
  const end = status === 401 || status === 403 ? 'login' : status >= 500 || status === 429 ? 'unavailable' : 'refused';
  // A proxy says it after the request was forwarded, too.
  const isLost = status >= 500 && ['', 'fault'].includes(reason) && ACTS[name].permission !== 'read';
  const todo = end === 'login' ? `Do: ${loginAt(server)}` : isLost ? UNKNOWN : undefined;
  throw new CommandFailure(end, `the service refused it: ${detail}`, todo, reason || undefined);
}

const NO_DOOR = 'Add `admin` to the `doors` of this listener: docs/administration.md';

function loginAt(server: string): string {
  return `tessera login --server ${server} --client-id tessera-cli --scope tessera:manage`;
}

const TIMEOUT_MS = 30_000;
const UNKNOWN = 'The change may or may not have been made: check before you try again.';

interface Reply {
  readonly status: number;
  readonly etag: string | undefined;
  readonly value: unknown;
}

function send(login: CurrentLogin, name: ActName, given: Given): Promise<Reply> {
  const { server, ca, certificate, key: ofCertificate, accessToken } = login;
  const { method, path, permission } = ACTS[name];
  const url = new URL(`${server}/admin/v1${path.replace('{id}', encodeURIComponent(given.id ?? ''))}`);
  for (const [key, value] of Object.entries(given.query ?? {}))
    if (value !== undefined) url.searchParams.set(key, String(value));
  const body = given.body === undefined ? undefined : JSON.stringify(given.body);
  const { onlyIf } = given;
  const headers = {
    authorization: `Bearer ${accessToken}`,
    ...(body !== undefined && { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }),
    ...(onlyIf === 'absent' && { 'if-none-match': '*' }),
    ...(typeof onlyIf === 'number' && { 'if-match': `"${onlyIf}"` }),
    ...(onlyIf === 'present' && { 'if-match': '*' }),
  };
  const tls = {
    ...(ca && { ca: readFileSync(ca) }),
    ...(certificate && ofCertificate && { cert: readFileSync(certificate), key: readFileSync(ofCertificate) }),
  };
  return exchange(url, { method, headers, timeout: TIMEOUT_MS, ...tls }, body, permission === 'read');
}

function exchange(url: URL, options: RequestOptions, body: string | undefined, isRead: boolean): Promise<Reply> {
  return new Promise((resolve, reject) => {
    let todo = 'Try again later.';
    const away = ({ message }: Error) =>
      reject(
        new CommandFailure(
          'unavailable',
          `${url.origin} cannot be reached: ${message.replace(` ${url.host}`, '')}`,
          todo,
        ),
      );
    const sent = request(url, { ...options, agent: false }, (response) => void readReply(response).then(resolve, away));
    sent.on('finish', () => {
      if (!isRead) todo = UNKNOWN;
    });
    sent.on('timeout', () => sent.destroy(new Error('no answer')));
    sent.on('error', away);
    sent.end(body);
  });
}

async function readReply(response: IncomingMessage): Promise<Reply> {
  const pieces: Buffer[] = [];
  for await (const piece of response) pieces.push(piece as Buffer);
  const value = parse(Buffer.concat(pieces).toString());
  return { status: response.statusCode ?? 0, etag: response.headers.etag, value };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
