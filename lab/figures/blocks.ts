// The parts of pages that state measured figures, made from the data of the folder `figures`.
import { isProved } from '../bench/proof.ts';
import { markdown } from '../bench/report/table.ts';
import type { PeerFigures } from '../peers/data.ts';
import { peerTable } from '../peers/table.ts';
import type { MutantFigures, ReliabilityFigures } from '../report/data.ts';
import { type Circumstances, type Row, type Rows, readFigures } from './data.ts';

/** What stands between the markers of a name. */
export const BLOCKS: Readonly<Record<string, () => string>> = {
  headline,
  peers,
  operations,
  memory,
  profile: () => '![Where the time of one refresh goes](performance/refresh.svg)',
  verify: () => rowsAsTable('verify', (value) => value.toFixed(0)),
  console: consoles,
  costs,
  connections: () =>
    rowsAsTable('connections', (value) => value.toFixed(0), [
      ...['connection', 'MB with 4000', 'KB each, second half'],
    ]),
  reliability,
  mutants,
  proofs: () => rowsAsTable('proofs', (value) => value.toLocaleString('en')),
  'directory-walk': () =>
    rowsAsTable('directory-walk', (value) => value.toLocaleString('en'), [
      ...['with grants', 'seconds a walk', 'searches/s', 'refreshes/s', 'during walks'],
    ]),
};

function figuresOf<T extends Circumstances = Rows>(name: string): T {
  const data = readFigures<T>(name);
  if (!data) throw new Error(`figures/${name}.json is missing`);
  return data;
}

function circumstancesOf({ command, commit, date, machine, load }: Circumstances): string {
  const { cores, processor, node } = machine;
  const kind = processor.replaceAll('(R)', '').replace(' Processor', '');
  return `${command ? `\`${command}\`` : `Measured once, at commit ${commit}`}, ${date}: ${cores} cores (${kind}), Node ${node}, load ${load}.`;
}

/** Rows with other columns are a table of their own. `only`: the columns that readers need. */
function rowsAsTable(name: string, words: (value: number) => string, only?: readonly string[]): string {
  const data = figuresOf(name);
  const cell = (value: string | number = '') => (typeof value === 'number' ? words(value) : value);
  const tables = Map.groupBy(data.rows, (row) => Object.keys(row).join());
  const shown = [...tables.values()].map((rows) => {
    const headings = only ?? Object.keys(rows[0] ?? {});
    const unknown = headings.filter((heading) => !rows.some((row) => heading in row));
    if (unknown.length > 0) throw new Error(`figures/${name}.json has no ${unknown.join(', ')}`);
    return markdown(
      headings,
      rows.map((row) => headings.map((heading) => cell(row[heading]))),
    );
  });
  return [...shown, circumstancesOf(data)].join('\n\n');
}

/** On each store: the slowest page of the console, and refreshes while ten consoles are open. */
function consoles(): string {
  const found = ['console', 'console-postgres'].map((name) => figuresOf(name));
  const rows = found.map((data, at) => {
    const pages = data.rows.filter((row) => 'page' in row).toSorted((a, b) => Number(b['ms']) - Number(a['ms']));
    const [account, [slowest], last] = [pages.find((row) => row['page'] === 'account'), pages, data.rows.at(-1)];
    return [
      ['SQLite', 'PostgreSQL'][at] ?? '',
      ...[String(account?.['ms']), `${slowest?.['ms']} (${slowest?.['page']})`],
      ...[last?.['refreshes/s, no console'], last?.['with 10']].map((each) => Number(each).toLocaleString('en')),
    ];
  });
  const headings = ['', 'account page, ms', 'slowest page, ms', 'refreshes/s, no console', 'with 10'];
  return [markdown(headings, rows), ...found.map(circumstancesOf)].join('\n\n');
}

/** Over all stores and kinds of token: the smallest and the largest multiple of the refreshes per second that were proved. */
function headline(): string {
  const { lanes } = figuresOf<PeerFigures>('peers');
  const all = lanes.filter(({ product, proof }) => product !== 'Tessera' && proof && isProved(proof));
  const names = [...new Set(all.map(({ product }) => product))];
  const multiples = all.map(({ ratio: [, median] }) => median);
  const [low, high] = [Math.min(...multiples), Math.max(...multiples)].map((each) => each.toFixed(each < 10 ? 1 : 0));
  const listed = names.length > 1 ? `${names.slice(0, -1).join(', ')} and ${names.at(-1)}` : names[0];
  return `${low} to ${high} times the refreshes per second of ${listed}, with the same kind of store and of token.`;
}

function peers(): string {
  const data = figuresOf<PeerFigures>('peers');
  const { versions, generator, connections, slices, seconds, missing } = data;
  const checked =
    'wrk' in generator
      ? `Our generator reached ${generator.ours.toLocaleString('en')} requests a second against an echo, wrk ${generator.wrk.toLocaleString('en')}.`
      : `Our generator was not checked against wrk: ${generator.notChecked}.`;
  const named = Object.entries(versions).map(([name, version]) => `${name} ${version}`);
  return [
    '![Refreshes per second, as bars](performance/peers.svg)',
    peerTable(data),
    `In brackets: how many times as many Tessera serves with the same store and tokens, the median of ${slices} slices of ${seconds} s (quartiles: \`figures/peers.json\`). ${named.join(', ')}; ${connections} connections. ${checked}`,
    circumstancesOf(data),
    ...(missing.length > 0 ? [`Empty cells: ${reasons(missing)}.`] : []),
  ].join('\n\n');
}

/** Each reason once, with the products whose cells are empty for it. */
function reasons(missing: PeerFigures['missing']): string {
  const groups = Map.groupBy(missing, ({ why }) => why.split('\n')[0]);
  const products = (all: PeerFigures['missing']) => [...new Set(all.map(({ what }) => what.split(',')[0]))].join(', ');
  return [...groups].map(([why, all]) => `${products(all)} (${why})`).join('; ');
}

const OPERATIONS: readonly (readonly [suite: string, lane: string, what: string])[] = [
  ['refresh', 'fastify echo', 'fastify echo'],
  ['refresh', 'bare refresh, SQLite', 'refresh: bare, SQLite'],
  ['refresh', 'bare, same rows, same log, SQLite', 'refresh: bare, same rows, same log, SQLite'],
  ['refresh', 'bare refresh, PostgreSQL', 'refresh: bare, PostgreSQL'],
  ['refresh', 'bare, same rows, same log, PostgreSQL', 'refresh: bare, same rows, same log, PostgreSQL'],
  ['spread', 'Tessera, SQLite, many grants', 'refresh: Tessera, SQLite, each time another of many grants'],
  ['refresh', 'Tessera, SQLite', 'refresh: Tessera, SQLite, 64 grants'],
  ['refresh', 'Tessera, PostgreSQL', 'refresh: Tessera, PostgreSQL, 64 grants'],
  ['workers', 'Tessera, SQLite, 2 workers', 'refresh, SQLite, 2 workers'],
  ['verify', 'Tessera, SQLite', 'verify'],
  ['certificate', 'Tessera, SQLite', 'certificate, kept alive (TLS)'],
  ['handshake', 'Tessera, SQLite', 'certificate, a new connection each'],
  ['poll', 'Tessera, SQLite', 'poll for a device'],
  ['revoke', 'Tessera, SQLite', 'revoke'],
  ['mixed', 'Tessera, SQLite', 'all of these mixed (TLS)'],
];

function operations(): string {
  // A new lane has no row until the next run.
  const found = OPERATIONS.flatMap(([suite, lane, what]) => {
    const row = figuresOf(`bench/${suite}`).rows.find((each) => each['lane'] === lane);
    return row ? [{ what, row }] : [];
  });
  const rows = found.map(({ what, row }) => [
    what,
    Number(row['cpu']).toFixed(0),
    Number(row['perSecond']).toLocaleString('en', { maximumFractionDigits: 0 }),
    Number(row['ratio']).toFixed(2),
    Number(row['p99']).toFixed(1),
  ]);
  const table = markdown(['', 'CPU µs', 'requests/s', 'ratio', 'p99 ms'], rows);
  return `${table}\n\n${circumstancesOf(figuresOf('bench/refresh'))}`;
}

function memory(): string {
  const facts = figuresOf('bench/facts').rows.map(({ what, measured }) => [String(what), String(measured)]);
  return markdown(['', 'measured'], facts);
}

function costs(): string {
  const [growth, eventBytes] = [figuresOf('postgres-growth'), figuresOf('event-bytes')];
  const last = growth.rows.at(-1) ?? {};
  const [sqlite = {}, postgres = {}] = eventBytes.rows;
  const bytes = (row: Row, name: string) => Number(row[name]).toFixed(0);
  const records = Number(last['WAL records']).toFixed(1);
  const rows = [
    ['a refresh on PostgreSQL, WAL', `${bytes(last, 'WAL bytes')}, in ${records} records`],
    ['the event of a refresh on PostgreSQL', bytes(postgres, 'bytes per event')],
    ['the event of a refresh on SQLite', bytes(sqlite, 'bytes per event')],
    ['a grant on PostgreSQL, after many refreshes', bytes(last, 'bytes per grant')],
  ];
  return [markdown(['', 'Bytes, indexes included'], rows), ...[growth, eventBytes].map(circumstancesOf)].join('\n\n');
}

function reliability(): string {
  const data = figuresOf<ReliabilityFigures>('reliability');
  const [seed = ''] = / --seed \d+/.exec(data.command ?? '') ?? [];
  const rows = data.rows.map(({ promise, command, tried, result, date }) => [
    promise,
    `\`lab -- ${seed && command.endsWith(seed) ? command.slice(0, -seed.length) : command}\``,
    [
      result === 'kept' ? 'kept' : `**${result.toLowerCase()}**: ${tried.replaceAll('|', '/')}`,
      ...(date === data.date ? [] : [date]),
    ].join(' '),
  ]);
  const drill = `Drill, after \`npm run\`${seed ? `, with \`${seed.trim()}\`` : ''}`;
  const table = markdown(['Promise', drill, 'Result'], rows).replace(/---:/g, '---');
  return `${table}\n\n${circumstancesOf(data)}`;
}

function mutants(): string {
  const data = figuresOf<MutantFigures>('mutants');
  const rows = data.rows.map(({ folder, tried, noticed }) => [`\`${folder}\``, ...[tried, noticed].map(String)]);
  return markdown(['Folder', 'Changes tried', 'Noticed'], rows);
}
