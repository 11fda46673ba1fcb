// SVG bar charts for the docs: no script, readable on light and dark backgrounds.

export interface Bar {
  readonly name: string;
  readonly value: number;
  /** The label after the bar. */
  readonly words: string;
  /** Whether the bar is ours, not a reference. */
  readonly ours?: boolean;
}

export interface BarGroup {
  readonly title: string;
  readonly bars: readonly Bar[];
}

const WIDTH = 860;
const NAMES_WIDTH = 250;
const BARS_WIDTH = 420;
const LINE = 22;

/** Every group has its own scale: its longest bar fills the width. The title is for screen readers. */
export function plot(about: string, groups: readonly BarGroup[]): string {
  let y = 10;
  const parts = [`<title>${escaped(about)}</title>`];
  for (const { title, bars } of groups) {
    parts.push(`<text x="0" y="${y + 15}" font-weight="bold">${escaped(title)}</text>`);
    y += LINE + 2;
    const longest = Math.max(...bars.map(({ value }) => value));
    for (const bar of bars) {
      parts.push(barAt(bar, y, longest));
      y += LINE;
    }
    y += LINE / 2;
  }
  const style = 'font-family="system-ui, sans-serif" font-size="13" fill="#777"';
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${y}" ${style}>\n${parts.join('\n')}\n</svg>\n`;
}

function barAt({ name, value, words, ours }: Bar, y: number, longest: number): string {
  const width = Math.max(1, (value / longest) * BARS_WIDTH).toFixed(1);
  const colour = ours ? '#0b5fff' : '#9aa5b1';
  return [
    `<text x="${NAMES_WIDTH - 8}" y="${y + 15}" text-anchor="end">${escaped(name)}</text>`,
    `<rect x="${NAMES_WIDTH}" y="${y + 2}" width="${width}" height="${LINE - 5}" rx="2" fill="${colour}"/>`,
    `<text x="${(NAMES_WIDTH + Number(width) + 6).toFixed(1)}" y="${y + 15}">${escaped(words)}</text>`,
  ].join('');
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
