import type { ResourceServer } from '../../core/resource-server.ts';
import { isSameAudience } from '../../core/rules/audience.ts';
import type { Ports } from '../ports.ts';

/** All resource servers. If the request names an unknown one, reads the store again: it may have been added a moment ago. */
export async function namedResourceServers(
  wanted: readonly string[] | undefined,
  { registry }: Pick<Ports, 'registry'>,
): Promise<readonly ResourceServer[]> {
  const known = registry.resourceServers;
  const isKnown = (audience: string) => known.some((server) => isSameAudience(server.audience, audience));
  return !wanted || wanted.every(isKnown) ? known : registry.lookForResourceServers();
}
