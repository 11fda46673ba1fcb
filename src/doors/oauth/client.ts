// Which integration calls. Integrations have no secrets: a client id names one, and the credential proves the rest.
import { accept, type Outcome, refuse } from '../../core/outcome.ts';
import type { Refusal } from '../../core/refusal.ts';
import type { ClientParameters } from './schemas.ts';
import type { OauthReason } from './wording.ts';

const BASIC = /^basic(?: +(.*))?$/is;
const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;

export function usesBasic(authorization: string | undefined): boolean {
  return BASIC.test(authorization ?? '');
}

/** The client id from the form, from HTTP Basic, or from both if they are equal. Secrets and assertions are refused. */
export function readClientId(
  authorization: string | undefined,
  { client_id: inForm, client_secret: secret, client_assertion: assertion }: ClientParameters,
): Outcome<string, Refusal<OauthReason>> {
  if (secret || assertion) return refuse('client-authentication-unsupported');
  const basic = BASIC.exec(authorization ?? '');
  const inHeader = basic ? userName(basic[1] ?? '') : undefined;
  if (basic && !inHeader) return refuse('client-authentication-unsupported');
  if (inForm && inHeader && inForm !== inHeader) return refuse('client-id-ambiguous');
  const clientId = inHeader ?? inForm;
  return clientId ? accept(clientId) : refuse('client-id-missing');
}

/** RFC 6749 2.3.1: user name and password are form-encoded. Undefined unless the password is empty. */
function userName(base64: string): string | undefined {
  if (!BASE64.test(base64.trim())) return undefined;
  const [name = '', ...password] = Buffer.from(base64, 'base64').toString('utf8').split(':');
  return password.length === 1 && password[0] === '' ? formDecoded(name) : undefined;
}

function formDecoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return undefined;
  }
}
