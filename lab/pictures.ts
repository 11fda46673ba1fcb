// npm run pictures -- NAME: draws pictures of README and docs.
import { drawPages } from './pictures/pages.ts';
import { drawPeers } from './pictures/peers.ts';

const USAGE = `npm run pictures -- NAME

  peers                refreshes per second beside other products: docs/performance/peers.svg
  pages [PAGE …]       the pages in a browser, all or those named, as PNG in out/pictures; LOCALE=de for German

\`npm run demo\` and \`npm run bench\` draw what they measure.`;

const DRAWN: Readonly<Record<string, (...options: string[]) => Promise<void> | void>> = {
  peers: drawPeers,
  pages: drawPages,
};

const [name = '', ...options] = process.argv.slice(2);
const draw = Object.hasOwn(DRAWN, name) ? DRAWN[name] : undefined;
if (draw) await draw(...options);
else console.log(USAGE);
process.exitCode = draw ? 0 : 1;
