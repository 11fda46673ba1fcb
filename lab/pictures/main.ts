// Pictures of README and docs. `demo`, `peers` and `bench` draw what they measure.
import { drawConsole } from './console.ts';
import { drawPages } from './pages.ts';

/** `pages` or `console`, then the pages to draw, if not all; LOCALE=de for German. */
export async function draw([what = '', ...wanted]: readonly string[]): Promise<void> {
  const drawn = { pages: drawPages, console: drawConsole }[what];
  if (!drawn) throw new Error('npm run lab -- pictures pages|console [PAGE …]');
  await drawn(...wanted);
}
