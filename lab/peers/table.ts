// The results of `npm run peers` as Markdown.
import type { LaneFigures, PeerFigures } from './data.ts';
import { TOKEN_KINDS } from './peer.ts';
import { isProved } from './proof.ts';

const TITLES = { refresh: 'Refreshes', check: 'Checks of a token by introspection' } as const;
const HEADINGS = ['', 'a second', 'Tessera is', 'run before', 'p99 ms', 'CPU µs', 'MB', 'checked'];

export function peerTable({ lanes }: Pick<PeerFigures, 'lanes'>): string {
  const tables = (['refresh', 'check'] as const).flatMap((work) =>
    TOKEN_KINDS.flatMap((token) => {
      const rows = lanes.filter((lane) => lane.work === work && lane.token === token).map(rowOf);
      if (rows.length === 0) return [];
      const rule = HEADINGS.map((_, column) => (column === 0 ? '---' : '---:'));
      const lines = [[`${TITLES[work]}, ${token} tokens`, ...HEADINGS.slice(1)], rule, ...rows];
      return [lines.map((cells) => `| ${cells.join(' | ')} |`).join('\n')];
    }),
  );
  return tables.join('\n\n');
}

function rowOf({ product, store, perSecond, ratio, ratioBefore, p99, cpu, megabytes, proof }: LaneFigures): string[] {
  const isOurs = product === 'Tessera';
  const [low, middle, high] = ratio;
  return [
    `${product}, ${store}`,
    perSecond.toLocaleString('en'),
    isOurs ? '' : `${middle.toFixed(1)} × (${low.toFixed(1)} to ${high.toFixed(1)})`,
    isOurs || ratioBefore === undefined ? '' : `${ratioBefore.toFixed(1)} ×`,
    String(p99),
    cpu.toLocaleString('en'),
    String(megabytes),
    proof === undefined ? '' : isProved(proof) ? 'yes' : '**no**',
  ];
}
