import { after, seconds } from '../core/time.ts';
import { pages } from '../store/pages.ts';
import { grants } from '../store/tables/grants.ts';
import type { Ports } from './ports.ts';

const SOON = seconds(30 * 86_400);
const STEP = 200;
const MOST = 10_000;

/** How many grants that still live end within 30 days, counted in small steps and no further than 10,000. */
export async function countEndingSoon({ store }: Pick<Ports, 'store'>, pause: () => Promise<void>): Promise<number> {
  const now = await store.now();
  let count = 0;
  for await (const page of pages(store, grants, { endingBefore: after(now, SOON), limit: STEP })) {
    count += page.filter(({ revoked, refreshUntil }) => !revoked && now < refreshUntil).length;
    if (count >= MOST) break;
    await pause();
  }
  return count;
}
