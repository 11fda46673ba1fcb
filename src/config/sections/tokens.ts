import { DEFAULT_SETTINGS as usual } from '../../core/settings.ts';
import { optional } from '../../schema.ts';
import { choice, duration, flag, section } from '../setting.ts';

export const tokens = section('Tokens and grants. An integration may set its own lifetimes over these.', {
  accessTokenLifetime: duration({
    description: 'How long an access token works.',
    default: usual.accessTokenLifetime,
  }),
  grantLifetime: duration({
    description: 'How long a grant can be refreshed; afterwards a new authorization is needed. It never moves.',
    default: usual.grantLifetime,
  }),
  refresh: flag({
    description: 'Whether answers carry a refresh token. Without it, a grant ends with its access token.',
    default: usual.refresh,
  }),
  refreshRetryWindow: duration({
    description:
      'How long after a refresh the same refresh token is answered with the same new pair again, for callers whose answer was lost. 0 is strict.',
    default: usual.refreshRetryWindow,
  }),
  onReuse: choice(['revoke', 'report'], {
    description:
      'What happens when a spent refresh token shows up later: `revoke` ends the grant, `report` only writes an event (for fleets that migrate).',
    default: usual.onReuse,
  }),
  accessTokenOverlap: optional(
    duration({
      description:
        'Ends older access tokens this long after a refresh. Where absent, each works until its own expiry, whatever refreshes follow.',
      example: '5m',
    }),
  ),
});
