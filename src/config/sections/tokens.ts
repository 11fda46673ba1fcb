import { DEFAULT_SETTINGS as usual } from '../../core/settings.ts';
import { optional } from '../../schema.ts';
import { choice, duration, flag, section } from '../setting.ts';

export const tokens = section('Tokens and grants. An integration can override the lifetimes.', {
  accessTokenLifetime: duration({
    description: 'How long an access token works.',
    default: usual.accessTokenLifetime,
  }),
  jwtLifetime: duration({
    description: 'How long a JWT access token works, at most 24h.',
    default: usual.jwtLifetime,
  }),
  signingKeyPublishedFor: duration({
    description: 'How long a new signing key is published before it signs.',
    default: usual.signingKeyPublishedFor,
  }),
  grantLifetime: duration({
    description: 'How long a new grant can be refreshed.',
    default: usual.grantLifetime,
  }),
  refresh: flag({
    description: 'Whether responses contain a refresh token.',
    default: usual.refresh,
  }),
  refreshRetryWindow: duration({
    description: 'How long a spent refresh token gets the same new pair again.',
    default: usual.refreshRetryWindow,
  }),
  onReuse: choice(['revoke', 'report'], {
    description:
      'When a spent refresh token is presented later: `revoke` ends the grant, `report` only writes an event.',
    default: usual.onReuse,
  }),
  accessTokenOverlap: optional(
    duration({
      description: 'Ends older access tokens this long after a refresh.',
      example: '5m',
    }),
  ),
});
