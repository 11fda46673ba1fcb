import type { GrantId } from '../../core/grant.ts';

/** Undefined if the text is not 32 hex digits. */
export function parseGrantId(text: string): GrantId | undefined {
  return /^[0-9a-f]{32}$/.test(text) ? (text as GrantId) : undefined;
}
