import { readFileSync } from 'node:fs';

/** Of the package, beside which both src/ and the published dist/ lie. */
export const VERSION: string = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')).version;
