// An installation: make it, check it, run it.
import { declares } from '../terminal/manual.ts';

const TEXT = `
serve                       run the service until SIGTERM or SIGINT; requests in flight are answered first
  --workers <count>         processes that share the ports, to use the cores of one machine [= 1]
  --accept-clock            trust the clock, even if the store has seen a later time or was last used over a month ago
  --take-back               start on a store that was moved away, and give up every change made in the other one
  $ tessera serve
  $ tessera serve --workers 4
  $ tessera serve --set log.level=debug
quickstart                  make a data folder with everything for a first token, and serve it; for trials only
  $ tessera quickstart
  $ tessera quickstart --set listeners.0.port=9443
init                        make what an installation lacks: tessera.yaml, keyring, store; never overwrites anything
  --public-url <url>        the address under which callers reach the service; without it, loopback only
  --data-folder <folder>    where keyring and store are kept [= ./data]
  --store <address>         postgres://… without the password, for many nodes; without it, SQLite in the data folder
  --integration <client_id>  register a first integration; needs --scope
  --scope <scope>           the scope of that integration
  --identity <user_name>    add a first identity, with a generated password that is printed once
  --operator <name>         put this identity, which is added if it is new, into the group operators
  $ tessera init --public-url https://tokens.example.com --data-folder /var/lib/tessera
  $ tessera init --store postgres://tessera_node@db.example.com/tessera?passwordFile=/etc/tessera/database
  $ tessera init --integration orders-sync --scope 'orders:read,write' --identity ada
doctor                      check files, certificates, clock, store, keyring and grants, and say what to do
  --json                    as JSON
  $ tessera doctor
  $ tessera doctor --json | jq '.[] | select(.verdict != "good")'
config                      check and show the configuration
config check                report mistakes in the configuration
  --offline                 do not connect to PostgreSQL
  $ tessera config check
  $ tessera --config /etc/tessera/tessera.yaml config check
config show                 show every setting in effect; secrets are hidden
  --json                    as JSON
  $ tessera config show
  $ tessera config show --json | jq .tokens
config schema               print the JSON Schema of the configuration file, for editors
  $ tessera config schema > tessera.schema.json
`;

const config = () => import('./work/config.ts');

export const commands = declares(TEXT, {
  serve: async () => (await import('./work/serve.ts')).serve,
  quickstart: async () => (await import('../quickstart/quickstart.ts')).quickstart,
  init: async () => (await import('../init/initialize.ts')).initialize,
  doctor: async () => (await config()).runDoctor,
  'config check': async () => (await config()).checkConfig,
  'config show': async () => (await config()).showConfig,
  'config schema': async () => (await config()).printSchema,
});
