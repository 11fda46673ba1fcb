// The one schema of the configuration: it validates, gives the TypeScript type, the JSON Schema file for editors and
// docs/configuration.md.
import { optional, type ValueOf } from '../schema.ts';
import { authsvc } from './sections/authsvc.ts';
import { device } from './sections/device.ts';
import { directories } from './sections/directories.ts';
import { events } from './sections/events.ts';
import { limits } from './sections/limits.ts';
import { listeners } from './sections/listeners.ts';
import { log } from './sections/log.ts';
import { metrics } from './sections/metrics.ts';
import { oauth } from './sections/oauth.ts';
import { pages } from './sections/pages.ts';
import { proxies } from './sections/proxies.ts';
import { revocation } from './sections/revocation.ts';
import { signIn } from './sections/sign-in.ts';
import { tokens } from './sections/tokens.ts';
import { tracing } from './sections/tracing.ts';
import { choice, keyringSource, path, section, storeAddress, url } from './setting.ts';

export const CONFIG_SCHEMA = section('Settings of Tessera, a token issuance service.', {
  publicUrl: optional(
    url('The public address of the service: https, without a path. Required unless every listener is on loopback.', {
      example: 'https://tokens.example.com',
    }),
  ),
  dataFolder: path('The folder for data.', {
    default: './data',
    example: '/var/lib/tessera',
  }),
  store: storeAddress('Where everything is stored: `sqlite:PATH` or `postgres://…`.', 'sqlite:<dataFolder>/tessera.db'),
  keyring: keyringSource('The server keys: a file of mode 0600, or `env:NAME`.', '<dataFolder>/keyring.json'),
  onRollback: choice(
    ['wait', 'resume'],
    'What nodes do if the database was put back. `wait`: 503 for grants until an operator accepts it. `resume`: they make lost revocations again and accept it themselves, where they can (docs/postgresql.md).',
    'wait',
  ),
  listeners,
  proxies,
  authsvc,
  oauth,
  tokens,
  device,
  signIn,
  directories,
  limits,
  revocation,
  log,
  metrics,
  tracing,
  events,
  pages,
});

type Given = ValueOf<typeof CONFIG_SCHEMA>;

type DeepReadonly<T> = T extends number | string | boolean | { reveal(): string }
  ? T
  : { readonly [Key in keyof T]: DeepReadonly<T[Key]> };

/** What the program holds: defaults applied, durations in seconds, paths absolute, passwords as secrets. */
export type Config = DeepReadonly<Omit<Given, 'publicUrl'>> & { readonly publicUrl: string };
/** As read, before the public address of a service on loopback is filled in. */
export type ReadConfig = Omit<Config, 'publicUrl'> & { readonly publicUrl?: string };
export type Listener = Config['listeners'][number];
