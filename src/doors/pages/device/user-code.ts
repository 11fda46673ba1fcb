import { normalizeUserCode } from '../../../tokens/user-code.ts';

/** A well-formed user code as it is shown, else undefined. Does not look it up. */
export function readUserCode(typed: string | undefined): string | undefined {
  const letters = normalizeUserCode((typed ?? '').slice(0, 100));
  return letters && `${letters.slice(0, 4)}-${letters.slice(4)}`;
}
