import type { GrantId } from '../../core/grant.ts';
import { accept } from '../../core/outcome.ts';
import { grants } from '../../store/tables/grants.ts';
import { type AdminOutcome, type AdminPorts, decline } from './admin.ts';

const DIGITS = 32;

/** The grant that the text names: its id, or the first digits of it, at least four, if no other id begins with them. */
export async function findGrantId(text: string, { store }: Pick<AdminPorts, 'store'>): Promise<AdminOutcome<GrantId>> {
  if (!/^[0-9a-f]{4,32}$/.test(text)) return decline('grant-unknown', text);
  if (text.length === DIGITS) return accept(text as GrantId);
  const found = await store.page(grants, { ...justBefore(text), limit: 2 });
  const [grant, ...others] = found.filter(({ id }) => id.startsWith(text));
  if (!grant) return decline('grant-unknown', text);
  return others.length > 0 ? decline('grant-ambiguous', text) : accept(grant.id);
}

/** Pages begin after a key: the one before the lowest id with these first digits. */
function justBefore(digits: string): { after?: string } {
  const lowest = BigInt(`0x${digits.padEnd(DIGITS, '0')}`);
  return lowest === 0n ? {} : { after: (lowest - 1n).toString(16).padStart(DIGITS, '0') };
}
