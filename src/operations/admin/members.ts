// The words in which members of what operators write are described (objects.ts, acts/).
import { ADDRESS_RANGE } from '../../core/address-pattern.ts';
import { KEY_ADDRESS } from '../../core/key-source.ts';
import { LIFETIME_MAX } from '../../core/settings.ts';
import type { EpochSeconds, Seconds } from '../../core/time.ts';
import { boolean, described, object, optional, type Schema, string } from '../../schema.ts';
import type { AdminRefusalReason } from './refusals.ts';

export const CLOSED = { additionalProperties: false };

export function text(description: string): Schema<string> {
  return string({ description });
}

export function list<T>(items: Schema<T>, description: string, notes = {}): Schema<readonly T[]> {
  return described({ type: 'array', items, description, ...notes });
}

export function texts(description: string): Schema<readonly string[]> {
  return list(string(), description);
}

export function ranges(description: string) {
  return list(form(ADDRESS_RANGE, 'address-range-malformed'), description);
}

export function oneOf<const Values extends readonly string[]>(values: Values, description: string) {
  return described<Values[number]>({ type: 'string', enum: values, description });
}

/** What may be left out, and what it is then. */
export function usually<T>(schema: Schema<T>, usual: T) {
  return optional({ ...schema, default: usual });
}

/** What may be left out: a new thing then has this, and one that exists keeps what it has. */
function kept<T>(schema: Schema<T>, initial: T) {
  return optional({ ...schema, 'x-initial': initial });
}

export function enabled(description: string) {
  return kept(boolean({ description: `${description} Left out: as it is; a new one is enabled.` }), true);
}

export function flag(description: string, usual: boolean) {
  return usually(boolean({ description }), usual);
}

/** How people enter it in a form, where its type does not say it: src/doors/pages/console/fields/. */
export type Entered = 'longText' | 'rows' | 'rules';

export function entered<S extends Schema>(as: Entered, schema: S): S {
  return { ...schema, 'x-entered': as };
}

/** Where this member is there. Linters look for its name among the properties, too. */
export function having(name: string) {
  return { properties: { [name]: {} }, required: [name] };
}

/** In answers; ignored in requests. */
export function shown<S extends Schema>(schema: S) {
  return optional({ ...schema, readOnly: true });
}

/** What reads it refuses others for this reason, in its own words. */
export function lifetime(
  description: string,
  [minimum, maximum]: readonly [number, number] = [1, LIFETIME_MAX],
  refusal: AdminRefusalReason = 'lifetime-malformed',
): Schema<Seconds> {
  const said = { 'x-refusal': refusal, description: `${description} In seconds.` };
  return described({ type: 'integer', format: 'seconds', minimum, maximum, ...said });
}

export function moment(description: string): Schema<EpochSeconds> {
  return described({ type: 'integer', description });
}

/** A text of this form. What reads it refuses others for this reason, in its own words. */
export function form(pattern: RegExp | string, refusal: AdminRefusalReason, description?: string) {
  const said = description === undefined ? {} : { description };
  return string({ pattern: typeof pattern === 'string' ? pattern : pattern.source, 'x-refusal': refusal, ...said });
}

/** The same, or empty: none. */
export function formOrNone({ source }: RegExp, refusal: AdminRefusalReason, description?: string) {
  return form(`^$|${source}`, refusal, description);
}

/** One certificate or more. */
export function pem(description: string) {
  const said = { minLength: 1, description, 'x-refusal': 'certificate-unreadable' };
  return entered('longText', string({ format: 'pem-certificates', ...said }));
}

/** Empty: the usual ones. */
export const AUTHORITIES = entered(
  'longText',
  string({
    format: 'pem-certificates-or-empty',
    description: 'PEM: the only authorities for the TLS connection. Empty: the usual ones.',
  }),
);

export const ADDRESSES = 'Addresses and networks (10.0.0.0/8) off the public internet to fetch from.';

// Where public keys come from.
export const KEY_URL = { from: oneOf(['url'], 'From this address.'), url: form(KEY_ADDRESS, 'key-address-malformed') };
export function keyFile(format: string) {
  const set = entered('longText', string({ format, description: 'A JSON Web Key Set, as text.' }));
  return object({ from: oneOf(['file'], 'These keys.'), set }, CLOSED);
}
