// What pages load besides themselves, each under an address that holds the hash of its content, so that browsers may keep it for ever.
import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { FastifyInstance } from 'fastify';
import { type Accent, legibleAccent } from './accent.ts';
import { ASSET_HEADERS } from './headers.ts';

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

interface Asset {
  readonly path: string;
  readonly type: string;
  readonly bytes: Buffer;
}

export interface Assets {
  readonly style: Asset;
  readonly icon: Asset;
  /** The operator's logo, or the mark of the service. */
  readonly logo: Asset;
  readonly script: Asset;
}

/** Served as one style sheet, in this order. */
const SHEETS = ['colours.css', 'around.css', 'parts.css', 'views.css', 'docs.css', 'console.css'] as const;

const SCRIPTS = ['passkey.js', 'console.js'] as const;

function readAsset(name: string): string {
  return readFileSync(new URL(`assets/${name}`, import.meta.url), 'utf8');
}

export function makeAssets({ accent, logo }: Look): Assets {
  const colours = legibleAccent(accent);
  const accents = accentRules(colours);
  const style = [...SHEETS.map(readAsset), accents, inOlderBrowsers(readAsset('colours.css') + accents)].join('\n');
  const mark = readAsset('mark.svg');
  const icon = asset('mark.svg', 'image/svg+xml', Buffer.from(mark.replaceAll('#0b5fff', colours.light.accent)));
  const own = logo && asset(logo.type === 'image/png' ? 'logo.png' : 'logo.svg', logo.type, logo.bytes);
  return {
    style: asset('pages.css', 'text/css; charset=utf-8', Buffer.from(style)),
    icon,
    logo: own ?? icon,
    script: asset('pages.js', 'text/javascript; charset=utf-8', Buffer.from(SCRIPTS.map(readAsset).join('\n'))),
  };
}

function asset(name: string, type: string, bytes: Buffer): Asset {
  return { path: `/account/assets/${hash('sha256', bytes).slice(0, 16)}/${name}`, type, bytes };
}

function accentRules({ light, dark }: Accent): string {
  return `:root { --accent: light-dark(${light.accent}, ${dark.accent}); --on-accent: light-dark(${light.onAccent}, ${dark.onAccent}); }\n`;
}

const LIGHT_DARK = /light-dark\(((?:[^(),]|\([^()]*\))+), (?:[^(),]|\([^()]*\))+\)/g;

/** Before 2024 browsers knew no `light-dark()`: there pages are light. */
function inOlderBrowsers(style: string): string {
  return `@supports not (color: light-dark(#000, #fff)) {\n${style.replaceAll(LIGHT_DARK, '$1')}}\n`;
}

export function mountAssets(app: FastifyInstance, assets: Assets): void {
  for (const { path, type, bytes } of new Set<Asset>(Object.values(assets))) {
    app.get(path, async (_request, reply) => reply.headers(ASSET_HEADERS).type(type).send(bytes));
  }
}
