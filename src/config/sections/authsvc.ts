import { choice, entries, section, text } from '../setting.ts';

export const authsvc = section('The authsvc door: callers written against the specification.', {
  mounts: entries(
    'The paths under which it is served: one and the same door, for fleets that have another first segment compiled in.',
    {
      path: text('a path such as /authsvc', '^(/[A-Za-z0-9._~-]+)+$', {
        description: 'The path; it matches in any letter case.',
        default: '/authsvc',
      }),
      errorKeys: choice(['spec', 'oauth', 'both'], {
        description:
          'The names of the fields of an error: `spec` (`Error`, `Error_description`), `oauth` (`error`, `error_description`), or `both`.',
        default: 'spec',
      }),
    },
    [{ path: '/authsvc', errorKeys: 'spec' }],
  ),
});
