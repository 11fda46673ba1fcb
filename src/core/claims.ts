// Claims of an assertion, as plain data, and how settings refer to them.

export type Claims = Readonly<Record<string, unknown>>;

/** A JSON Pointer (RFC 6901) to something inside the claims. */
export const CLAIM_POINTER = /^(?=[\s\S]{1,256}$)(?:\/(?:[^~/]|~[01])*)+$/u;

export function isClaimPointer(text: string): boolean {
  return CLAIM_POINTER.test(text);
}

/** The claim if it is a string, boolean or whole number. Other numbers that differ in JSON may be parsed as equal. */
export function claimText(claims: Claims, pointer: string): string | undefined {
  const value = claimAt(claims, pointer);
  if (typeof value === 'string') return value;
  if (typeof value === 'boolean' || Number.isSafeInteger(value)) return String(value);
  return undefined;
}

function claimAt(claims: Claims, pointer: string): unknown {
  let value: unknown = claims;
  for (const escaped of pointer.split('/').slice(1)) {
    const name = escaped.replaceAll('~1', '/').replaceAll('~0', '~');
    value = Array.isArray(value) ? elementOf(value, name) : memberOf(value, name);
  }
  return value;
}

function elementOf(list: readonly unknown[], index: string): unknown {
  return /^(?:0|[1-9][0-9]{0,5})$/.test(index) ? list[Number(index)] : undefined;
}

function memberOf(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
  return (value as Claims)[name];
}

const SHOWN_LENGTH = 200;

/** Claims are chosen by others: escaped and cut before they reach a log or a terminal. */
export function showClaim(value: unknown): string {
  const text = (JSON.stringify(value) ?? 'nothing').replace(/[^\u0020-\u007e]/gu, '?');
  return text.length > SHOWN_LENGTH ? `${text.slice(0, SHOWN_LENGTH)}…` : text;
}

// Templates such as `{/repository}:{/environment}`: how an identity is named by claims.

const CLAIM = /\{([^{}]*)\}/g;
const FIXED = String.raw`[^{}\p{C}]*`;
const NAMED = String.raw`\{(?=[^{}]{1,256}\})(?:/(?:[^~/{}]|~[01])*)+\}${FIXED}`;
const LENGTH = String.raw`(?=[\s\S]{1,512}$)`;
export const TEMPLATE = new RegExp(`^${LENGTH}${FIXED}(?:${NAMED})+$`, 'u');
export const TEMPLATE_OF_ONE = new RegExp(`^${LENGTH}${FIXED}${NAMED}$`, 'u');

/** The pointers in a template, in order. Undefined if it is malformed or names no claim. */
export function claimsOfTemplate(template: string): readonly string[] | undefined {
  if (!TEMPLATE.test(template)) return undefined;
  return [...template.matchAll(CLAIM)].map(([, pointer = '']) => pointer);
}

export interface FilledTemplate {
  /** For people, and to look up in a directory. Two different lists of values may give the same text. */
  readonly text: string;
  readonly values: readonly string[];
}

/** The claim that is missing or not a scalar, or the filled template. */
export function fillTemplate(template: string, claims: Claims): FilledTemplate | { readonly missing: string } {
  const values: string[] = [];
  for (const pointer of claimsOfTemplate(template) ?? []) {
    const value = claimText(claims, pointer);
    if (value === undefined || value === '') return { missing: pointer };
    values.push(value);
  }
  let index = 0;
  return { values, text: template.replaceAll(CLAIM, () => values[index++] ?? '') };
}
