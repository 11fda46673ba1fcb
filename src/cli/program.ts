// The `tessera` command. Only the declarations that are needed are loaded, and the work of most commands when they run.
import { join } from 'node:path';
import { Command } from 'commander';
import { VERSION } from '../version.ts';
import { type Commands, declareAll, examplesText } from './terminal/command.ts';
import { CommandFailure, ENDS } from './terminal/exit.ts';
import { expectJson, isForScripts } from './terminal/output.ts';

/** Beside src/ in a checkout, beside dist/ in the package. */
const PAGES = join(import.meta.dirname, '../../docs');

type Group = () => Promise<{ readonly commands: Commands }>;

/** The names of commands, and what declares them. */
const GROUPS: readonly (readonly [names: string, load: Group])[] = [
  ['serve quickstart init doctor config', () => import('./commands/installation.ts')],
  ['integration', () => import('./commands/integration.ts')],
  ['resource-server', () => import('./commands/resource-server.ts')],
  ['identity', () => import('./commands/identity.ts')],
  ['directory', () => import('./commands/directory.ts')],
  ['issuer', () => import('./commands/issuer.ts')],
  ['certificate explain', () => import('./commands/explain.ts')],
  ['token-issuer', () => import('./commands/token-issuer.ts')],
  ['grant', () => import('./commands/grant.ts')],
  ['events refusals', () => import('./commands/events.ts')],
  ['export diff apply', () => import('./commands/objects.ts')],
  ['status', () => import('./commands/status.ts')],
  ['keyring', () => import('./commands/keyring.ts')],
  ['backup restore migrate-store migrate-schema store', () => import('./commands/store.ts')],
  ['login token whoami logout exec profile', () => import('./commands/caller.ts')],
  ['guard', () => import('./commands/guard.ts')],
  ['completion', () => import('./commands/completion.ts')],
];

/** They work on this machine: with --server or --login, somebody means another one. */
const BESIDE_STORE =
  'serve quickstart init doctor config directory keyring backup restore migrate-store migrate-schema store guard';

function refuseService(acting: Command): void {
  const { server, login } = acting.optsWithGlobals<{ server?: string; login?: string }>();
  if ((server ?? login) === undefined || !BESIDE_STORE.split(' ').includes(groupOf(acting))) return;
  throw new CommandFailure('usage', 'this command works beside the store only', 'Leave --server and --login out.');
}

/** The first word of a command. */
function groupOf(command: Command): string {
  return command.parent?.parent ? groupOf(command.parent) : command.name();
}

function exitCodes(): string {
  const lines = Object.values(ENDS).map(([code, meaning]) => `  ${String(code).padEnd(3)} ${meaning}`);
  return `\nExit codes:\n${lines.join('\n')}`;
}

/** With all commands, or with those that are declared together with the one of this name, since loading takes time. */
export async function buildProgram(name?: string): Promise<Command> {
  const program = rootProgram();
  const named = GROUPS.filter(([names]) => name !== undefined && names.split(' ').includes(name));
  const isAlone = named.length > 0 && name !== 'completion';
  for (const [, load] of isAlone ? named : GROUPS) declareAll(program, (await load()).commands);
  for (const command of endingCommands(program)) offerJson(command);
  pointToHelp(program, program.name());
  return program;
}

const EXAMPLES = [
  'tessera init --public-url https://tokens.example.com',
  'tessera doctor',
  'tessera grant list --ending 30d',
];

/** Without commands. */
function rootProgram(): Command {
  return new Command('tessera')
    .description('Issues bearer tokens to machines and people, by client certificate or by browser confirmation.')
    .option(
      '-c, --config <file>',
      'the configuration file (else $TESSERA_CONFIG, else tessera.yaml here, if there is one)',
    )
    .option(
      '--set <path=value>',
      'override a setting of the file or the environment; may be repeated',
      (set, before?: readonly string[]) => [...(before ?? []), set],
    )
    .option('--server <url>', 'administer this service with the login at it, instead of the store beside this command')
    .option('--login <profile>', 'the same with this login (see: tessera login)')
    .option('--debug', 'show stack traces of faults')
    .version(VERSION, '--version', 'print the version')
    .addHelpText('after', examplesText(EXAMPLES))
    .addHelpText('after', exitCodes)
    .addHelpText('after', `\nThe pages that messages name (docs/…) are in ${PAGES}`)
    .configureOutput({
      outputError: (text, write) => write(text.replace(/^error: /, 'tessera: ')),
      writeErr: (text) => void (isForScripts() || process.stderr.write(text)), // with --json, endOf prints it
    })
    .configureHelp({ showGlobalOptions: true })
    .hook('preAction', (_, acting) => {
      expectJson(acting.optsWithGlobals()['json'] === true);
      refuseService(acting);
    });
}

/** After a mistake on the command line: what to do next. */
function pointToHelp(command: Command, path: string): void {
  const todo = `See: ${path} --help`;
  command.showHelpAfterError(`  ${todo}`);
  command.exitOverride((fault) => {
    throw Object.assign(fault, { todo });
  });
  for (const inner of command.commands) pointToHelp(inner, `${path} ${inner.name()}`);
}

/** They print until they are stopped, or print one thing for one purpose. */
const WITHOUT_JSON = ['serve', 'quickstart', 'guard', 'schema', 'reference', 'follow', 'exec'];

function endingCommands(command: Command): Command[] {
  const inner = command.commands.flatMap(endingCommands);
  // A group with an argument does something of its own.
  const acts = command.commands.length === 0 || command.registeredArguments.length > 0;
  return acts && !WITHOUT_JSON.includes(command.name()) ? [command, ...inner] : inner;
}

/** Commands that show something declare --json themselves; for all others it is the result of the act. */
function offerJson(command: Command): void {
  if (!command.options.some(({ long }) => long === '--json')) command.option('--json', 'the result as JSON');
}
