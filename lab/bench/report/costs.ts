// Where the time of a request goes: samples of a CPU profile, summed by cost.
import type { BarGroup } from './plot.ts';

export interface CpuProfile {
  readonly nodes: readonly ProfileNode[];
  readonly samples: readonly number[];
  readonly timeDeltas: readonly number[];
}

interface ProfileNode {
  readonly id: number;
  readonly callFrame: { readonly functionName: string; readonly url: string };
  readonly children?: readonly number[];
}

export interface Cost {
  readonly thread: 'main' | 'checkpoints';
  readonly on: string;
  /** Microseconds per request. */
  readonly each: number;
}

const WAITING = 'waiting';
const STARTING = 'starting';

/** A frame's cost is the first match, or that of the nearest caller with a match. */
const KINDS: readonly (readonly [on: string, pattern: RegExp])[] = [
  [WAITING, /^\((?:idle|program)\)/],
  [STARTING, /node:internal\/(?:modules|main|bootstrap)\/|amaro/],
  ['garbage collection', /^\(garbage collector\)/],
  ['log line', /src\/log\//],
  ['metrics', /prom-client|ops\/(?:metrics|request-tally)/],
  ['tokens: derive, tag, hash', /src\/tokens\/|node:internal\/crypto/],
  ['store: read the row', /src\/store\/sqlite\/loads\.ts/],
  [
    'store: rows to values and back',
    /src\/store\/(?:tables|table\.ts|(?:sqlite|postgres)\/(?:statements|events|arrays))/,
  ],
  ['store: begin to sync', /sqlite\/wal\.ts|fdatasync/],
  ['store: write', /sqlite\/(?:commits|prepared|soundness|files)\.ts/],
  ['store: empty the WAL', /sqlite\/checkpoints\.ts|node:internal\/worker|messageport|per_context/],
  ['store: talk to PostgreSQL', /node_modules\/pg|src\/store\/postgres\//],
  ['rules and operations', /src\/(?:core|operations)\/|src\/store\//],
  ['doors: read, limit, answer', /src\/(?:doors|serve)\//],
  [
    'fastify',
    /node_modules\/(?:fastify|find-my-way|avvio|fast-json|secure-json|@fastify|light-my-request|process-warning)/,
  ],
  ['node: sockets, HTTP and event loop', /node:/],
];

const OTHER = 'other';

export function costsOf({ nodes, samples, timeDeltas }: CpuProfile, requests: number): Cost[] {
  const kinds = kindsOf(nodes);
  const thread = nodes.some(({ callFrame }) => callFrame.url.includes('src/doors/')) ? 'main' : 'checkpoints';
  const sums = new Map<string, number>();
  for (const [index, id] of samples.entries()) {
    const on = kinds.get(id) ?? OTHER;
    sums.set(on, (sums.get(on) ?? 0) + (timeDeltas[index] ?? 0));
  }
  return [...sums].map(([on, microseconds]) => ({ thread, on, each: microseconds / requests }));
}

function kindsOf(nodes: readonly ProfileNode[]): Map<number, string> {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const kinds = new Map<number, string>();
  const visit = (node: ProfileNode, above: string) => {
    const own = kindOf(node) ?? above;
    kinds.set(node.id, own);
    for (const child of node.children ?? []) visit(byId.get(child) as ProfileNode, own);
  };
  if (nodes[0]) visit(nodes[0], OTHER);
  return kinds;
}

function kindOf({ callFrame: { functionName, url } }: ProfileNode): string | undefined {
  const frame = url === '' ? functionName : `${url} ${functionName}`;
  return KINDS.find(([, pattern]) => pattern.test(frame))?.[0];
}

/** Idle time, startup and negligible costs are left out. */
function worthTelling(costs: readonly Cost[]): Cost[] {
  const told = costs.filter(({ on, each }) => on !== WAITING && on !== STARTING && each >= 0.05);
  return told.sort((a, b) => a.thread.localeCompare(b.thread) || b.each - a.each);
}

export function costTable(costs: readonly Cost[]): string {
  const rows = worthTelling(costs).map(({ thread, on, each }) => `| ${thread} | ${on} | ${each.toFixed(1)} |`);
  return ['| thread | on | µs per request |', '| --- | --- | ---: |', ...rows, ''].join('\n');
}

export function costBars(costs: readonly Cost[]): BarGroup[] {
  const bars = worthTelling(costs).map(({ thread, on, each }) => ({
    name: `${thread}: ${on}`,
    value: each,
    words: `${each.toFixed(1)} µs`,
    ours: !on.startsWith('node') && on !== 'fastify',
  }));
  return [{ title: 'Where the time of one request goes', bars }];
}
