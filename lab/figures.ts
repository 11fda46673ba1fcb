// npm run figures [-- refresh | events | size | writer | wal]: what the store costs on this machine. Ratios travel, numbers do not.
import { eventFigures } from './figures/events.ts';
import { refreshFigures } from './figures/refreshes.ts';
import { sizeFigures } from './figures/size.ts';
import { walFigures } from './figures/wal.ts';
import { writerFigures } from './figures/writer.ts';

const FIGURES = {
  refresh: refreshFigures,
  events: eventFigures,
  size: sizeFigures,
  writer: writerFigures,
  wal: walFigures,
} as const;

const wanted = process.argv.slice(2);
for (const [name, figures] of Object.entries(FIGURES)) {
  if (wanted.length > 0 && !wanted.includes(name)) continue;
  console.log(`\n## ${name}`);
  await figures();
}
