// One request of a proxy: what was asked for, what that needs, and the answer.
import type { Allowed, Checked } from '../check.ts';
import { type Answer, answerTo } from '../refusal.ts';
import type { Guard } from '../verifier.ts';
import { type Received, readAsked, readCertificate, soleLine } from './asked.ts';
import type { Configuration } from './configuration.ts';
import { type Asked, type Needed, type Rules, type Unmatched, wordsIn } from './rules.ts';

/** A configuration in effect. */
export interface InEffect {
  readonly configuration: Configuration;
  readonly rules: Rules | undefined;
  /** By audience. */
  readonly guards: ReadonlyMap<string, Guard>;
}

/** The answer, and what the log says about it. Never has the token. */
export interface Decision {
  readonly answer: Answer;
  readonly asked?: Asked;
  readonly reason: string;
  readonly identity?: string;
  readonly client?: string;
}

const PLAIN = { 'content-type': 'application/json', 'cache-control': 'no-store' };

export async function decide(request: Received, { configuration, rules, guards }: InEffect): Promise<Decision> {
  const asked = readAsked(request, configuration.from);
  if (typeof asked === 'string') return { answer: plainAnswer(400, 'invalid_request', asked), reason: 'unreadable' };
  const needed = rules ? rules.match(asked) : neededByAddress(request.url);
  if ('why' in needed) return unmatched(asked, needed);
  if (needed.isOpen) return { answer: { status: 200, headers: { ...PLAIN }, body: '' }, asked, reason: 'open' };
  const guard = guards.get(needed.audience);
  if (!guard) return unmatched(asked, { status: 403, why: 'no resource server has this audience' });
  const call = callOf(request, asked, configuration);
  if (typeof call === 'string') return unmatched(asked, { status: 400, why: call });
  const checked = await guard.checkCall(call, ...needed.scope);
  return { asked, ...decisionOf(checked) };
}

function unmatched(asked: Asked, { status, why }: Unmatched): Decision {
  const error = status === 400 ? 'invalid_request' : 'forbidden';
  return { answer: plainAnswer(status, error, why), asked, reason: status === 400 ? 'unreadable' : 'no-rule' };
}

/** What the proxy's own configuration says. The caller does not write this address: `from` is `headers`. */
function neededByAddress(url = ''): Needed | Unmatched {
  const query = new URLSearchParams(url.split('?')[1] ?? '');
  const [audience, ...others] = query.getAll('audience');
  const [scope, ...more] = query.getAll('scope');
  if (audience === undefined || scope === undefined || others.length + more.length > 0 || query.size > 2)
    return { status: 400, why: 'the address of the guard must have audience and scope, each once, and nothing else' };
  return { audience, scope: wordsIn(scope), isOpen: false };
}

/** A call with two tokens is not checked by one of them. */
function callOf(
  { headersDistinct: headers }: Received,
  { method, target }: Asked,
  { clientCertificate }: Configuration,
) {
  for (const name of ['authorization', 'dpop'])
    if ((headers[name]?.length ?? 0) > 1) return `there are several headers ${name}`;
  return {
    authorization: soleLine(headers, 'authorization'),
    proof: soleLine(headers, 'dpop'),
    certificate: clientCertificate && readCertificate(headers, clientCertificate),
    method,
    path: target.split('?', 1)[0] ?? '',
  };
}

function decisionOf(checked: Checked): Decision {
  if (!checked.ok) return { answer: answerTo(checked), reason: checked.reason };
  const { identity, integration, guest = integration } = checked;
  return { answer: allowing(checked), reason: 'allowed', identity, client: guest };
}

function allowing({ identity, name, integration, guest = integration, scope, expiresAt }: Allowed): Answer {
  const headers = {
    ...PLAIN,
    'tessera-identity': inAscii(identity),
    'tessera-client': inAscii(guest),
    'tessera-scope': inAscii(scope.join(' ')),
    'tessera-expires': String(expiresAt),
    ...(name !== undefined && { 'tessera-name': inAscii(name) }),
  };
  return { status: 200, headers, body: '' };
}

/** Percent-encoded where it is not plain ASCII. */
function inAscii(text: string): string {
  const bytes = Buffer.from(text).toString('latin1');
  const inHex = (byte: string) => byte.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0');
  return bytes.replace(/[^ -$&-~]|^ | $/g, (byte) => `%${inHex(byte)}`);
}

export function plainAnswer(status: number, error: string, error_description: string): Answer {
  return { status, headers: { ...PLAIN }, body: JSON.stringify({ error, error_description }) };
}
