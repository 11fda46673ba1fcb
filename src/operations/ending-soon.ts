import { after, seconds } from '../core/time.ts';
import { grants } from '../store/tables/grants.ts';
import type { Ports } from './ports.ts';

const SOON = seconds(30 * 86_400);
const STEP = 200;
const MOST = 10_000;

/** How many grants that still live end within 30 days, counted in small steps and no further than 10,000. */
export async function countEndingSoon({ store }: Pick<Ports, 'store'>, pause: () => Promise<void>): Promise<number> {
  const now = await store.now();
  let count = 0;
  for (let last: string | undefined; ; ) {
    const query = { endingBefore: after(now, SOON), limit: STEP, ...(last !== undefined && { after: last }) };
    const page = await store.page(grants, query);
    count += page.filter(({ revoked, refreshUntil }) => !revoked && now < refreshUntil).length;
    last = page.at(-1)?.id;
    if (page.length < STEP || count >= MOST) return count;
    await pause();
  }
}
