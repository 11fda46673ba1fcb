// For programs and people that call the service: these commands need neither a configuration nor a store.
import type { Command } from 'commander';
import { examples } from '../terminal/options.ts';
import type { LoginFlags, ProfileFlag } from './work/caller.ts';

const work = () => import('./work/caller.ts');

export function callerCommands(program: Command): void {
  declareLogin(program);
  declareToken(program);
  declareWhoami(program);
  declareLogout(program);
  declareExec(program);
  declareProfiles(program);
}

function withProfile(command: Command): Command {
  return command.option('--profile <name>', 'which login (else $TESSERA_PROFILE, else "default")');
}

function declareLogin(program: Command): void {
  withProfile(program.command('login'))
    .description('get tokens from a service and keep them: in a browser, by certificate, or by assertion')
    .option('--server <address>', 'the address of the service (else that of the last login)')
    .option('--client-id <client_id>', 'the integration (else that of the last login)')
    .option('--scope <scope>', 'what the tokens are for; all that the integration may do if left out')
    .option('--certificate <file>', 'a client certificate, PEM, instead of a browser; needs --key')
    .option('--key <file>', 'the key of the certificate, PEM')
    .option('--assertion-file <file>', 'a JWT of the platform that runs this job, instead of a browser')
    .option('--ca <file>', 'the authority of the server certificate, PEM, if this machine does not trust it')
    .addHelpText(
      'after',
      examples(
        'tessera login --server https://tokens.example.com --client-id orders-sync',
        'tessera login --server https://tokens.example.com --client-id orders-sync --certificate me.pem --key me-key.pem',
      ),
    )
    .action(async (flags: LoginFlags) => (await work()).login(flags));
}

function declareToken(program: Command): void {
  withProfile(program.command('token'))
    .description('print a valid access token, refreshed if that is due')
    .addHelpText(
      'after',
      examples('tessera token --profile staging', 'curl -H "Authorization: Bearer $(tessera token)" …'),
    )
    .action(async (flags: ProfileFlag) => (await work()).printToken(flags));
}

function declareWhoami(program: Command): void {
  withProfile(program.command('whoami'))
    .description('show whose token this is, what it is for and how long it works')
    .option('--json', 'as JSON')
    .addHelpText('after', examples('tessera whoami', 'tessera whoami --json | jq -r .identity'))
    .action(async (flags: ProfileFlag & { json?: true }) => (await work()).whoami(flags));
}

function declareLogout(program: Command): void {
  withProfile(program.command('logout'))
    .description('end the grant and remove its tokens')
    .addHelpText('after', examples('tessera logout', 'tessera logout --profile staging'))
    .action(async (flags: ProfileFlag) => (await work()).logout(flags));
}

function declareExec(program: Command): void {
  withProfile(program.command('exec'))
    .description('run a program with a valid access token in TESSERA_TOKEN')
    .argument('<command...>', 'the program and its arguments, after --')
    .addHelpText('after', examples('tessera exec -- ./sync.sh --all', 'tessera exec --profile staging -- env'))
    .action(async (words: string[], flags: ProfileFlag) => (await work()).execute(words, flags));
}

function declareProfiles(program: Command): void {
  const group = program.command('profile').description('the logins of this user');
  group
    .command('list')
    .description('list them')
    .option('--json', 'as JSON')
    .addHelpText('after', examples('tessera profile list'))
    .action(async (flags: { json?: true }) => (await work()).listProfiles(flags));
  group
    .command('remove')
    .argument('<name>', 'its name')
    .description('end its grant and forget it')
    .addHelpText('after', examples('tessera profile remove staging'))
    .action(async (name: string) => (await work()).removeProfile(name));
}
