import { choice, entries, section, text } from '../setting.ts';

export const authsvc = section('The authsvc door, for programs written for its contract (docs/contract.md).', {
  mounts: entries(
    'The paths of the door, for fleets that use another one. The list replaces the default: name /authsvc too if callers use it.',
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
