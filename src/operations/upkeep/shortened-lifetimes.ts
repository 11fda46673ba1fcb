// What a start and `tessera doctor` say to installations whose access tokens will live shorter than before.
import { formatDuration } from '../../core/duration.ts';
import { type Grant, grantState, isOfContract } from '../../core/grant.ts';
import { settingsFor } from '../../core/settings.ts';
import { between } from '../../core/time.ts';
import { grants, grantsOf } from '../../store/tables/grants.ts';
import type { Ports } from '../ports.ts';

/** In the newest grants of an integration. */
const MOST_LOOKED_AT = 20;
/** A start must not wait for thousands. */
const MOST_INTEGRATIONS = 100;

/** Integrations whose newest grants have access tokens that live longer than the next ones will. */
export async function shortenedLifetimes({
  store,
  registry,
  settings,
}: Pick<Ports, 'store' | 'registry' | 'settings'>) {
  const now = await store.now();
  const ofOauth = registry.integrations.filter(({ flows, keys, confidential }) => flows.code || keys || confidential);
  const found = ofOauth.slice(0, MOST_INTEGRATIONS).map(async (integration) => {
    const isLonger = ({ pair, origin, format }: Grant) =>
      !isOfContract(origin) &&
      between(pair.issuedAt, pair.expiresAt) >
        settingsFor(integration, settings, { format, isOfOauth: true }).accessTokenLifetime;
    const where = grantsOf.integration(integration.clientId);
    const newest = await store.page(grants, { where, isDescending: true, limit: MOST_LOOKED_AT });
    const isShortened = newest.some((grant) => grantState(grant, now) === 'live' && isLonger(grant));
    return isShortened ? [integration.clientId] : [];
  });
  return (await Promise.all(found)).flat();
}

/** The warning, and what to do. */
export function wordsOnShortened(clientIds: readonly string[], { oauthTokenLifetime }: Ports['settings']) {
  const [first = '', ...others] = clientIds;
  const more = others.length > 0 ? ` and ${others.length} more` : '';
  return {
    says: `access tokens of integration ${first}${more} lived longer; new ones live ${formatDuration(oauthTokenLifetime)}`,
    todo: 'If clients cannot refresh, raise tokens.oauthTokenLifetime, or the lifetime of the integration (docs/upgrading.md).',
  };
}
