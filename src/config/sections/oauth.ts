import { flag, section, text } from '../setting.ts';

export const oauth = section(
  'The oauth door, for any OAuth 2.0 library (docs/callers.md). Its issuer is `publicUrl`.',
  {
    enabled: flag({
      description: 'Whether the door is served, with its metadata under `/.well-known`.',
      default: true,
    }),
    mount: text('a path such as /oauth2', '^(/[A-Za-z0-9._~-]+)+$', {
      description: 'The path under which the endpoints are served; case sensitive.',
      default: '/oauth2',
    }),
  },
);
