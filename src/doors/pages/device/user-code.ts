import { normalizeUserCode } from '../../../tokens/user-code.ts';

/** A user code as it is shown, if the text could be one at all. Whether such a code exists is another question. */
export function readUserCode(typed: string | undefined): string | undefined {
  const letters = normalizeUserCode((typed ?? '').slice(0, 100));
  return letters && `${letters.slice(0, 4)}-${letters.slice(4)}`;
}
