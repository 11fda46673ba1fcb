// An installation: make it, check it, run it.
import { command, group } from '../terminal/command.ts';
import { AS_JSON, count, flag, text, usually } from '../terminal/options.ts';

const config = () => import('./work/config.ts');

export const commands = {
  serve: command({
    about: 'run the service until SIGTERM or SIGINT; requests in flight are answered first',
    options: {
      workers: usually('1', count('processes that share the ports, to use the cores of one machine')),
      acceptClock: flag('trust the clock, even if the store has seen a later time or was last used over a month ago'),
      takeBack: flag('start on a store that was moved away, and give up every change made in the other one'),
    },
    examples: ['tessera serve', 'tessera serve --workers 4', 'tessera serve --set log.level=debug'],
    run: async (given, to) => (await import('./work/serve.ts')).serve(given, to),
  }),
  quickstart: command({
    about: 'make a data folder with everything for a first token, and serve it; for trials only',
    examples: ['tessera quickstart', 'tessera quickstart --set listeners.0.port=9443'],
    run: async (_, to) => (await import('../quickstart/quickstart.ts')).quickstart(to),
  }),
  init: command({
    about: 'make what an installation lacks: tessera.yaml, keyring, store; never overwrites anything',
    options: {
      publicUrl: text('<url>', 'the address under which callers reach the service; without it, loopback only'),
      dataFolder: usually('./data', text('<folder>', 'where keyring and store are kept')),
      store: text(
        '<address>',
        'postgres://… without the password, for many nodes; without it, SQLite in the data folder',
      ),
      integration: text('<client_id>', 'register a first integration; needs --scope'),
      scope: text('<scope>', 'the scope of that integration'),
      identity: text('<user_name>', 'add a first identity, with a generated password that is printed once'),
      operator: text('<name>', 'put this identity, which is added if it is new, into the group operators'),
    },
    examples: [
      'tessera init --public-url https://tokens.example.com --data-folder /var/lib/tessera',
      'tessera init --store postgres://tessera_node@db.example.com/tessera?passwordFile=/etc/tessera/database',
      "tessera init --integration orders-sync --scope 'orders:read,write' --identity ada",
    ],
    run: async (given, to) => (await import('../init/initialize.ts')).initialize(given, to),
  }),
  doctor: command({
    about: 'check files, certificates, clock, store, keyring and grants, and say what to do',
    options: AS_JSON,
    examples: ['tessera doctor', `tessera doctor --json | jq '.[] | select(.verdict != "good")'`],
    run: async (given, to) => (await config()).runDoctor(given, to),
  }),
  config: group('check and show the configuration', {
    check: command({
      about: 'report mistakes in the configuration',
      options: { offline: flag('do not connect to PostgreSQL') },
      examples: ['tessera config check', 'tessera --config /etc/tessera/tessera.yaml config check'],
      run: async (given, to) => (await config()).checkConfig(given, to),
    }),
    show: command({
      about: 'show every setting in effect; secrets are hidden',
      options: AS_JSON,
      examples: ['tessera config show', 'tessera config show --json | jq .tokens'],
      run: async (given, to) => (await config()).showConfig(given, to),
    }),
    schema: command({
      about: 'print the JSON Schema of the configuration file, for editors',
      examples: ['tessera config schema > tessera.schema.json'],
      run: async () => (await config()).printSchema(),
    }),
  }),
};
