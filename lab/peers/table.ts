// The results of `peers` as Markdown.
import { isProved } from '../bench/proof.ts';
import { markdown } from '../bench/report/table.ts';
import type { LaneFigures, PeerFigures } from './data.ts';
import { TOKEN_KINDS } from './peer.ts';

const TITLES = { refresh: 'Refreshes a second', check: 'Introspections a second' } as const;

/** One row per product and store, one column per kind of token; then what refreshes with ES256 tokens cost. */
export function peerTable({ lanes }: Pick<PeerFigures, 'lanes'>): string {
  const nameOf = ({ product, store }: LaneFigures) => `${product}, ${store}`;
  const tables = (['refresh', 'check'] as const).flatMap((work) => {
    const raced = lanes.filter((lane) => lane.work === work);
    if (raced.length === 0) return [];
    const rows = Object.entries(Object.groupBy(raced, nameOf)).map(([name, own = []]) => [
      name,
      ...TOKEN_KINDS.map((token) => rateOf(own.find((lane) => lane.token === token))),
    ]);
    return [markdown([TITLES[work], ...TOKEN_KINDS], rows)];
  });
  const costs = lanes
    .filter(({ work, token }) => work === 'refresh' && token === 'ES256')
    .map((lane) => [nameOf(lane), String(lane.p99), lane.cpu.toLocaleString('en'), String(lane.megabytes)]);
  const headings = ['Refreshes, ES256 tokens', 'p99 ms', 'CPU µs', 'MB'];
  return [...tables, ...(costs.length > 0 ? [markdown(headings, costs)] : [])].join('\n\n');
}

/** Requests per second, and how many times as many Tessera serves. */
function rateOf(lane: LaneFigures | undefined): string {
  if (!lane) return '–';
  const { product, perSecond, ratio, proof } = lane;
  const multiple = product === 'Tessera' ? '' : ` (${ratio[1].toFixed(1)}×)`;
  return `${perSecond.toLocaleString('en')}${multiple}${proof && !isProved(proof) ? ' **unchecked**' : ''}`;
}
