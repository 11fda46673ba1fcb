// The commands for callers, as `tessera-client` and the server's `tessera` declare them. Their work is loaded when one runs.
import type { Shown, Terminal } from './cli/terminal.ts';
import type { LoginFlags } from './cli/work.ts';

export interface CallerCommand {
  /** Such as `profile list`. */
  readonly name: string;
  readonly about: string;
  readonly argument?: Described;
  readonly options: readonly Described[];
  readonly examples: readonly string[];
  readonly run: (flags: LoginFlags, words: readonly string[]) => Promise<Shown>;
}

type Described = readonly [written: string, about: string];

export interface CurrentLogin {
  readonly server: string;
  /** A PEM file, if the machine does not trust the authority of the server. */
  readonly ca?: string | undefined;
  /** PEM files, if it is by certificate: its tokens may be bound to it. */
  readonly certificate?: string | undefined;
  readonly key?: string | undefined;
  readonly accessToken: string;
}

/** For other commands of a program that has these. */
export async function currentLogin(terminal: Terminal, profile: string | undefined): Promise<CurrentLogin> {
  return (await work()).currentLogin(terminal, profile === undefined ? {} : { profile });
}

const PROFILE: Described = ['--profile <name>', 'which login (else $TESSERA_PROFILE, else "default")'];
const SHOWN_AS_JSON: Described = ['--json', 'as JSON'];
const RESULT_AS_JSON: Described = ['--json', 'the result as JSON'];

const work = () => import('./cli/work.ts');

export function callerCommands(terminal: Terminal): readonly CallerCommand[] {
  const { program } = terminal;
  return [
    {
      name: 'login',
      about: 'get tokens from a service and keep them: in a browser, by certificate, or by assertion',
      options: [
        PROFILE,
        ['--server <address>', 'the address of the service (else that of the last login)'],
        ['--client-id <client_id>', 'the integration (else that of the last login)'],
        [
          '--scope <scope>',
          'what the tokens are for (else that of the last login of this integration, or all that it may do)',
        ],
        ['--certificate <file>', 'a client certificate, PEM, instead of a browser; needs --key'],
        ['--key <file>', 'the key of the certificate, PEM'],
        ['--assertion-file <file>', 'a JWT of the platform that runs this job, instead of a browser'],
        ['--device', 'show a code to enter in any browser, even if this computer has one'],
        [
          '--ca <file>',
          'the authority of the server certificate, PEM, if this machine does not trust it (else that of the last login there)',
        ],
        RESULT_AS_JSON,
      ],
      examples: [
        `${program} login --server https://tokens.example.com --client-id orders-sync`,
        `${program} login --server https://tokens.example.com --client-id orders-sync --certificate me.pem --key me-key.pem`,
      ],
      run: async (flags) => (await work()).login(terminal, flags),
    },
    {
      name: 'token',
      about: 'print a valid access token, refreshed if that is due',
      options: [PROFILE, RESULT_AS_JSON],
      examples: [`${program} token --profile staging`, `curl -H "Authorization: Bearer $(${program} token)" …`],
      run: async (flags) => (await work()).token(terminal, flags),
    },
    {
      name: 'whoami',
      about: 'show whose token this is, what it is for and how long it works',
      options: [PROFILE, SHOWN_AS_JSON],
      examples: [`${program} whoami`, `${program} whoami --json | jq -r .identity`],
      run: async (flags) => (await work()).whoami(terminal, flags),
    },
    {
      name: 'logout',
      about: 'end the grant and remove its tokens',
      options: [PROFILE, RESULT_AS_JSON],
      examples: [`${program} logout`, `${program} logout --profile staging`],
      run: async (flags) => (await work()).logout(terminal, flags),
    },
    {
      name: 'exec',
      about: 'run a program with a valid access token in TESSERA_TOKEN',
      argument: ['<command...>', 'the program and its arguments, after --'],
      options: [PROFILE],
      examples: [`${program} exec -- ./sync.sh --all`, `${program} exec --profile staging -- env`],
      run: async (flags, words) => (await work()).execute(terminal, flags, words),
    },
    {
      name: 'profile list',
      about: 'list the logins of this user',
      options: [SHOWN_AS_JSON],
      examples: [`${program} profile list`],
      run: async () => (await work()).listProfiles(terminal),
    },
    {
      name: 'profile remove',
      about: 'end the grant of a login and forget it',
      argument: ['<name>', 'its name'],
      options: [RESULT_AS_JSON],
      examples: [`${program} profile remove staging`],
      run: async (_, [name = '']) => (await work()).removeProfile(terminal, name),
    },
  ];
}
