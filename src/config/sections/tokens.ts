import { JWT_LIFETIME_MAX, DEFAULT_SETTINGS as usual } from '../../core/settings.ts';
import { optional } from '../../schema.ts';
import { choice, duration, flag, NOT_ZERO, section } from '../setting.ts';

export const tokens = section('Tokens and grants. An integration can override the lifetimes.', {
  accessTokenLifetime: duration('How long an access token works.', usual.accessTokenLifetime, NOT_ZERO),
  jwtLifetime: duration('How long a JWT access token works, at most 24h.', usual.jwtLifetime, {
    ...NOT_ZERO,
    most: JWT_LIFETIME_MAX,
  }),
  signingKeyPublishedFor: duration(
    'How long a new signing key is published before it signs.',
    usual.signingKeyPublishedFor,
  ),
  grantLifetime: duration('How long a new grant can be refreshed.', usual.grantLifetime, NOT_ZERO),
  refresh: flag('Whether responses contain a refresh token.', usual.refresh),
  refreshRetryWindow: duration(
    'How long a spent refresh token gets the same new pair again.',
    usual.refreshRetryWindow,
  ),
  onReuse: choice(
    ['revoke', 'report'],
    'When a spent refresh token is presented later: `revoke` ends the grant, `report` only writes an event.',
    usual.onReuse,
  ),
  accessTokenOverlap: optional(
    duration('Ends older access tokens this long after a refresh.', {
      example: '5m',
    }),
  ),
});
