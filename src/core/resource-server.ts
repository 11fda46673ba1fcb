import { HOST, PORT } from './address-pattern.ts';
import type { Hex } from './hex.ts';
import type { IdentityId } from './identity.ts';
import type { EpochSeconds } from './time.ts';

/** A registered API that checks tokens. */
export interface ResourceServer {
  readonly id: ResourceServerId;
  /** What `aud` and `resource` name. */
  readonly audience: Audience;
  readonly name: string;
  /** The scope resources that it serves, in lower case. */
  readonly resources: readonly string[];
  /** If false: it may not introspect, and tokens are not for it. */
  readonly enabled: boolean;
  /** At most two, so that a secret can be replaced without an interruption; the newest is last. */
  readonly secrets: readonly SecretMark[];
  /** The identity whose certificate or access token proves that it calls. */
  readonly identity?: IdentityId;
  /** The row stays, since events name it. The id may be registered again. */
  readonly removed?: true;
}

export interface SecretMark {
  /** SHA-256 of the secret text. */
  readonly hash: Hex;
  readonly createdAt: EpochSeconds;
}

export const MOST_SECRETS = 2;

/** Names a secret in events. */
export function secretMark({ hash }: SecretMark): string {
  return hash.slice(0, 16);
}

export type ResourceServerId = string & { readonly is: 'resource server id' };
export type Audience = string & { readonly is: 'audience' };

// Characters that HTTP Basic and forms carry unchanged: many gateways do not encode them (RFC 6749 2.3.1).
export const RESOURCE_SERVER_ID = /^[A-Za-z0-9._~-]{1,128}$/;

export function parseResourceServerId(text: string): ResourceServerId | undefined {
  return RESOURCE_SERVER_ID.test(text) ? (text as ResourceServerId) : undefined;
}

/** The characters of RFC 3986, without "#". */
const PATH = "[A-Za-z0-9._~:/?@!$&'()*+,;=%-]";
const REST = `(?::${PORT})?(?:[/?]${PATH}*)?`;
const WITH_HOST = '(?:[Hh][Tt][Tt][Pp][Ss]?|[Ww][Ss][Ss]?|[Ff][Tt][Pp]):';
export const AUDIENCE = new RegExp(
  `^(?=.{1,512}$)(?:${WITH_HOST}//(?:${HOST}|\\[[0-9A-Fa-f:.]+\\])${REST}|(?!${WITH_HOST})[A-Za-z][A-Za-z0-9+.-]*:(?://[A-Za-z0-9._~-]+${REST}|(?!//)${PATH}+))$`,
);

/** RFC 8707 2: an absolute URI without a fragment. Audiences compare as text, so the text is kept unchanged. */
export function parseAudience(text: string): Audience | undefined {
  return AUDIENCE.test(text) ? (text as Audience) : undefined;
}
