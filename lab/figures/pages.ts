// Puts the blocks into the pages that have their markers, and draws the pictures.
import { globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Cost, costBars } from '../bench/report/costs.ts';
import { plot } from '../bench/report/plot.ts';
import { ROOT } from '../deploy/shell.ts';
import type { PeerFigures } from '../peers/data.ts';
import { TOKEN_KINDS } from '../peers/peer.ts';
import { BLOCKS } from './blocks.ts';
import { readFigures } from './data.ts';

const MARKED = /(<!-- figures: ([\w-]+) -->)(\n*)[\s\S]*?(<!-- end of figures -->)/g;
export const MARKED_PAGES = ['README.md', ...globSync('docs/*.md', { cwd: ROOT })];

/** A page with its blocks made anew. A block keeps the line breaks after its first marker. */
export function withBlocks(text: string): string {
  return text.replaceAll(MARKED, (_, begin: string, name: string, breaks: string, end: string) => {
    const block = BLOCKS[name];
    if (!block) throw new Error(`there are no figures ${name}: lab/figures/blocks.ts lists them`);
    return `${begin}${breaks}${block()}${breaks}${end}`;
  });
}

/** The pictures, by path. */
export function pictures(): Readonly<Record<string, string>> {
  const [peers, costs] = [readFigures<PeerFigures>('peers'), readFigures('bench/profile')];
  return {
    ...(peers && { 'docs/performance/peers.svg': peersPicture(peers) }),
    ...(costs && {
      'docs/performance/refresh.svg': plot(
        'Where the time of one refresh goes',
        costBars(costs.rows as unknown as readonly Cost[]),
      ),
    }),
  };
}

function peersPicture({ lanes }: PeerFigures): string {
  const groups = TOKEN_KINDS.map((token) => ({
    title: `Refreshes per second on one core, ${token} access tokens (more is better)`,
    bars: lanes
      .filter((lane) => lane.token === token && lane.work === 'refresh')
      .map(({ product, store, perSecond }) => ({
        name: `${product}, ${store}`,
        value: perSecond,
        words: perSecond.toLocaleString('en'),
        ours: product === 'Tessera',
      })),
  }));
  const drawn = groups.filter(({ bars }) => bars.length > 0);
  return plot('Refreshes per second', drawn);
}

export async function writePages(): Promise<void> {
  for (const path of MARKED_PAGES) {
    const text = readFileSync(join(ROOT, path), 'utf8');
    const made = withBlocks(text);
    if (made !== text) writeFileSync(join(ROOT, path), made);
  }
  mkdirSync(join(ROOT, 'docs/performance'), { recursive: true });
  for (const [path, picture] of Object.entries(pictures())) writeFileSync(join(ROOT, path), picture);
}

if (import.meta.main) await writePages();
