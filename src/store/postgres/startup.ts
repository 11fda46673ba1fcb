// Time limits that hold from the first moment of a session. A role may have limits so short that its sessions end before
// they could set anything (session.ts), so these go into the startup packet, where they override what the role sets.
import type { Address, Host } from './address.ts';

/** From PostgreSQL 17 on. Others refuse a session that names it. */
const NEWER = { transaction_timeout: 0 };

function limits({ statementTimeoutMs }: Address): Readonly<Record<string, number>> {
  return {
    idle_session_timeout: 0,
    statement_timeout: statementTimeoutMs,
    idle_in_transaction_session_timeout: statementTimeoutMs,
  };
}

/** An unknown setting; a startup parameter that a pooler does not support. */
const NOT_ACCEPTED = ['42704', '08P01'];

/** How many of the attempts below a host has refused, so that later sessions begin with the one that works. */
const refused = new Map<string, number>();

/**
 * Calls `open` with startup options that the host accepts: all limits, without those of newer servers, or none (a pooler). A
 * session without them still sets its limits, as its first statement.
 */
export async function withLimits<T>(host: Host, address: Address, open: (options: string) => Promise<T>): Promise<T> {
  const attempts = [{ ...limits(address), ...NEWER }, limits(address), {}];
  const place = `${host.host}:${host.port}`;
  for (let n = refused.get(place) ?? 0; ; n++) {
    try {
      return await open(optionsOf(attempts[n] ?? {}));
    } catch (error) {
      if (n >= attempts.length - 1 || !NOT_ACCEPTED.includes((error as { code?: string }).code ?? '')) throw error;
      refused.set(place, n + 1);
    }
  }
}

function optionsOf(settings: Readonly<Record<string, number>>): string {
  return Object.entries(settings)
    .map(([name, value]) => `-c ${name}=${value}`)
    .join(' ');
}
