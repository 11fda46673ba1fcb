import { readFileSync } from 'node:fs';

export interface Look {
  readonly name: string;
  /** As `#rrggbb`. */
  readonly accent: string;
  /** How long browsers shall use https only, in seconds. */
  readonly strictTransport: number;
  readonly logo?: { readonly bytes: Buffer; readonly type: 'image/svg+xml' | 'image/png' } | undefined;
}

/** `logo`: the path of a file. */
export function readLook({ logo, ...look }: Omit<Look, 'logo'> & { readonly logo?: string }): Look {
  if (logo === undefined) return look;
  const bytes = readFileSync(logo);
  const isPng = bytes.subarray(1, 4).toString('latin1') === 'PNG';
  return { ...look, logo: { bytes, type: isPng ? 'image/png' : 'image/svg+xml' } };
}
