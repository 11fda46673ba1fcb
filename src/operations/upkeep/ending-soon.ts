import { after, seconds } from '../../core/time.ts';
import { grants } from '../../store/tables/grants.ts';
import type { Ports } from '../ports.ts';

const SOON = seconds(30 * 86_400);
const MOST = 10_000;

/** How many grants end within 30 days, including revoked ones. Stops counting at 10,000. */
export async function countEndingSoon({ store }: Pick<Ports, 'store'>): Promise<number> {
  const now = await store.now();
  return store.countEnding(grants, { from: now, before: after(now, SOON) }, MOST);
}
