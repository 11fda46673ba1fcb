// The operator's accent colour, darkened for light pages and lightened for dark ones until text in it and on it meets WCAG 2.2 (4.5 : 1).

/** The surfaces of assets/colours.css that contrast least with the accent: the darker light one, the lighter dark one. */
const LIGHT_SURFACE = '#f1efe9';
const DARK_SURFACE = '#22262e';
const ENOUGH = 4.5;
const STEPS = 50;

export interface Accent {
  readonly light: { readonly accent: string; readonly onAccent: string };
  readonly dark: { readonly accent: string; readonly onAccent: string };
}

export function legibleAccent(colour: string): Accent {
  return {
    light: { accent: towards('#000000', colour, LIGHT_SURFACE), onAccent: '#ffffff' },
    dark: { accent: towards('#ffffff', colour, DARK_SURFACE), onAccent: '#0e1014' },
  };
}

/** The first mixture of `colour` with `end` that stands out from `surface`. */
function towards(end: string, colour: string, surface: string): string {
  for (let step = 0; step < STEPS; step++) {
    const mixed = mix(colour, end, step / STEPS);
    if (contrast(mixed, surface) >= ENOUGH) return mixed;
  }
  return end;
}

function mix(from: string, to: string, share: number): string {
  const target = channels(to);
  const mixed = channels(from).map((value, index) => Math.round(value + ((target[index] ?? 0) - value) * share));
  return `#${mixed.map((value) => value.toString(16).padStart(2, '0')).join('')}`;
}

/** WCAG 2.2, contrast ratio. */
export function contrast(a: string, b: string): number {
  const [lighter = 0, darker = 0] = [luminance(a), luminance(b)].toSorted((x, y) => y - x);
  return (lighter + 0.05) / (darker + 0.05);
}

function luminance(colour: string): number {
  const [red = 0, green = 0, blue = 0] = channels(colour).map((value) => {
    const share = value / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function channels(colour: string): number[] {
  return [1, 3, 5].map((at) => Number.parseInt(colour.slice(at, at + 2), 16));
}
