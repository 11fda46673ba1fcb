// Templates such as `{/repository}:{/environment}`: how an identity is named by claims.
import { type Claims, claimText, isClaimPointer } from './claims.ts';

const TEMPLATE_MAX_LENGTH = 512;
const CLAIM = /\{([^{}]*)\}/g;

/** The pointers in a template, in order. Undefined if it is malformed or names no claim. */
export function claimsOfTemplate(template: string): readonly string[] | undefined {
  const pointers = [...template.matchAll(CLAIM)].map(([, pointer = '']) => pointer);
  const rest = template.replaceAll(CLAIM, '');
  if (template.length > TEMPLATE_MAX_LENGTH || /[{}\p{C}]/u.test(rest)) return undefined;
  return pointers.length > 0 && pointers.every(isClaimPointer) ? pointers : undefined;
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
