import { readFileSync } from 'node:fs';

/** The version in package.json, which is beside src/ and beside the published dist/. */
export const VERSION: string = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')).version;
