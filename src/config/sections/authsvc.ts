import { choice, entries, section, text } from '../setting.ts';

export const authsvc = section('The authsvc door, for programs written for its contract (docs/contract.md).', {
  mounts: entries(
    'The paths of the door. The list replaces the default.',
    {
      path: text('a path such as /authsvc', '^(/[A-Za-z0-9._~-]+)+$', 'The path; case-insensitive.', '/authsvc'),
      errorKeys: choice(
        ['spec', 'oauth', 'both'],
        'The fields of an error: `spec` (`Error`, `Error_description`), `oauth` (`error`, `error_description`), or `both`.',
        'spec',
      ),
    },
    [{ path: '/authsvc', errorKeys: 'spec' }],
  ),
});
