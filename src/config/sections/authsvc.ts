import { choice, entries, section, text } from '../setting.ts';

export const authsvc = section('The authsvc door, for programs written for its contract (docs/contract.md).', {
  mounts: entries(
    'The paths of the door. The list replaces the default.',
    {
      path: text('a path such as /authsvc', '^(/[A-Za-z0-9._~-]+)+$', {
        description: 'The path; case-insensitive.',
        default: '/authsvc',
      }),
      errorKeys: choice(['spec', 'oauth', 'both'], {
        description:
          'The fields of an error: `spec` (`Error`, `Error_description`), `oauth` (`error`, `error_description`), or `both`.',
        default: 'spec',
      }),
    },
    [{ path: '/authsvc', errorKeys: 'spec' }],
  ),
});
