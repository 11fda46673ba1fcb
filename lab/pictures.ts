// npm run pictures -- NAME: draws pictures of README and docs.
import { drawConsole } from './pictures/console.ts';
import { drawPages } from './pictures/pages.ts';

const USAGE = `npm run pictures -- NAME

  pages [PAGE …]       the pages in a browser, all or those named, as PNG in out/pictures; LOCALE=de for German
  console [PAGE …]     the pages of the console likewise, and docs/images/console.png

\`npm run demo\`, \`npm run peers\` and \`npm run bench\` draw what they measure.`;

const DRAWN: Readonly<Record<string, (...options: string[]) => Promise<void> | void>> = {
  pages: drawPages,
  console: drawConsole,
};

const [name = '', ...options] = process.argv.slice(2);
const draw = Object.hasOwn(DRAWN, name) ? DRAWN[name] : undefined;
if (draw) await draw(...options);
else console.log(USAGE);
process.exitCode = draw ? 0 : 1;
