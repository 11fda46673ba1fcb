import { readFileSync } from 'node:fs';

/** How an operator wants the pages to look. */
export interface Look {
  readonly name: string;
  /** As `#rrggbb`. */
  readonly accent: string;
  readonly logo?: { readonly bytes: Buffer; readonly type: 'image/svg+xml' | 'image/png' } | undefined;
}

/** `logo`: the path of a file. */
export function readLook({ name, accent, logo }: Pick<Look, 'name' | 'accent'> & { readonly logo?: string }): Look {
  if (logo === undefined) return { name, accent };
  const bytes = readFileSync(logo);
  return { name, accent, logo: { bytes, type: isPng(bytes) ? 'image/png' : 'image/svg+xml' } };
}

function isPng(bytes: Buffer): boolean {
  return bytes.subarray(1, 4).toString('latin1') === 'PNG';
}
