// Token exchange (RFC 8693): an API that received a token gets one for the next API.
import { caOf } from './by/pem.ts';
import type { Way } from './by/way.ts';
import { Door } from './door/door.ts';
import { checkAddress } from './door/metadata.ts';
import { sentence, TokenFailure } from './failure.ts';

export interface ExchangeOptions {
  readonly server: string;
  /** The integration of this API. */
  readonly clientId: string;
  /** What proves it: `privateKey({…})`, `secret({…})` or `certificate({…})`. */
  readonly by: Way;
  /** The access token that this API received. */
  readonly token: string;
  /** The next API: the id or the audience of its resource server. */
  readonly audience?: string | undefined;
  /** What the new token is for. Left out: all that may be exchanged. */
  readonly scope?: string | undefined;
  readonly ca?: string | undefined;
}

export interface ExchangedToken {
  readonly accessToken: string;
  readonly scope: string;
  /** Epoch seconds. Never later than that of the token it was exchanged for. */
  readonly expiresAt: number;
}

const REQUEST_MS = 10_000;
const ACCESS_TOKEN = 'urn:ietf:params:oauth:token-type:access_token';

/** A token for the next API, of the same person, never wider and never longer. It is not kept: ask once for each call chain. */
export async function exchange(options: ExchangeOptions): Promise<ExchangedToken> {
  const { clientId, by, token, audience, scope, ca } = options;
  const server = checkAddress('server', options.server);
  const door = new Door({ server, clientId, client: by.client, ca: () => ca && caOf(ca), timeoutMs: REQUEST_MS });
  const form = {
    grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
    subject_token: token,
    subject_token_type: ACCESS_TOKEN,
    audience,
    scope,
  };
  const sentAt = Date.now() / 1000;
  const reply = await door.token(form, { tls: by.tls() });
  if (reply.kind === 'granted') {
    const { access_token, scope: granted, expires_in } = reply.json;
    return { accessToken: String(access_token), scope: String(granted), expiresAt: sentAt + Number(expires_in) };
  }
  const [reason, error] =
    reply.kind === 'refused' ? (['refused', reply.error] as const) : (['unavailable', ''] as const);
  throw new TokenFailure(reason, `Not exchanged: ${sentence(reply.why)}`, 'Ask the operator of the service.', {
    error,
  });
}
