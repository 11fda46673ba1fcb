// The tables of test/oracles.md: what tests may take from the code under test.
import { quoted, read, tableOf } from '../../test/house/sources.ts';

const PAGE = read('test/oracles.md');

/** Each name that a row allows to a file, or anywhere. */
export const ALLOWED: readonly (readonly [where: string, name: string])[] = [
  ...tableOf(PAGE, ['Anywhere']).flatMap(([names = '']) => quoted(names).map((name) => ['anywhere', name] as const)),
  ...tableOf(PAGE, ['Test', 'Takes']).flatMap(([files = '', names = '']) =>
    quoted(files).flatMap((file) => quoted(names).map((name) => [file, name] as const)),
  ),
];

export function mayTake(where: string, name: string): boolean {
  return ALLOWED.some(([at, allowed]) => (at === where || at === 'anywhere') && allowed === name);
}
