// The forms of texts that operators write, as documents publish them.
import { LABEL } from '../../core/identity.ts';

/** Texts are shown on terminals and pages. */
const UNPRINTABLE = String.raw`\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}`;

export const PLAIN_TEXT = new RegExp(`^[^${UNPRINTABLE}]{0,1000}$`, 'u');
export const PLAIN_NAME = new RegExp(`^[^${UNPRINTABLE}]{1,1000}$`, 'u');
/** Names end up in pages, terminals and logs of others, which may not escape markup. */
export const SHOWN_NAME = new RegExp(`^[^${UNPRINTABLE}<>"\`\\\\]{1,1000}$`, 'u');
/** Without markup. A document of a client has an address: nobody registers one. */
export const NEW_CLIENT_ID = /^(?!https:\/\/)[!#-;=?-[\]-_a-~]{1,128}$/;
export const USER_NAME = /^[^\p{Cc}\p{Cf}\p{Z}\p{Cs}/:]{1,128}$/u;
export const ADDRESS = /^[^\p{Cc}\p{Cf}\p{Z}\p{Cs}@]{1,128}@[^\p{Cc}\p{Cf}\p{Z}\p{Cs}@]{1,127}$/u;
/** `iss` and `aud` of assertions. */
export const CLAIM_TEXT = /^[^\p{C}\s]{1,512}$/u;
/** What a condition of a rule compares with. */
export const COMPARED_TEXT = /^[^\p{Cc}]{1,512}$/u;
export const TRUST_DOMAIN = /^[a-z0-9._-]{1,255}$/;
/** Not any-policy, which requires nothing. */
export const POLICY = /^(?!2\.5\.29\.32\.0$)[0-2](?:\.(?:0|[1-9][0-9]*))+$/;
export const DIRECTORY = new RegExp(`${LABEL.source}|^local$`);
/** ISO 8601: day, time, zone. */
const TIME = String.raw`T(?:[01]\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:\.\d{1,9})?)?`;
export const MOMENT = new RegExp(
  String.raw`^(\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01]))(${TIME})?(Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)?$`,
);
