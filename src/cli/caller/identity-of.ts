import { caOf } from '../../../sdk/client/src/by/pem.ts';
import { send } from '../../../sdk/client/src/door/send.ts';
import type { Profile } from './profile.ts';

const TIMEOUT_MS = 10_000;

/** Who the token belongs to, by Authorize/Verify. Undefined if the service does not say: it may serve that elsewhere, or be away. */
export async function identityOf({ server, ca }: Profile, accessToken: string): Promise<string | undefined> {
  const sending = { bearer: accessToken, tls: { ca: ca && caOf(ca) }, timeoutMs: TIMEOUT_MS };
  const answer = await send(`${server}/authsvc/Authorize/Verify`, sending).catch(() => undefined);
  const identity = answer?.json?.['identity'];
  return typeof identity === 'string' ? identity : undefined;
}
