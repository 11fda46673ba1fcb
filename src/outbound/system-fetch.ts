import { lookup } from 'node:dns/promises';
import type { Fetch } from './download.ts';
import { guardedFetch } from './guarded-fetch.ts';

/** Uses this machine's resolver and proxy settings. */
export function systemFetch(): Fetch {
  const resolve = async (hostname: string) => {
    const found = await lookup(hostname, { all: true });
    return found.map(({ address }) => address);
  };
  return guardedFetch({ resolve, environment: process.env });
}
