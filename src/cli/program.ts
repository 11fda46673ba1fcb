// The `tessera` command. Declarations are loaded always, the work of a command only when it runs, so that help is fast.
import { join } from 'node:path';
import type { Command } from 'commander';
import { VERSION } from '../version.ts';
import { backupCommands } from './commands/backup.ts';
import { callerCommands } from './commands/caller.ts';
import { certificateCommands } from './commands/certificate.ts';
import { completionCommand } from './commands/completion.ts';
import { configCommands } from './commands/config.ts';
import { directoryCommands } from './commands/directory.ts';
import { doctorCommand } from './commands/doctor.ts';
import { eventsCommand, refusalsCommand } from './commands/events.ts';
import { explainCommands } from './commands/explain.ts';
import { grantCommands } from './commands/grant.ts';
import { identityCommands } from './commands/identity.ts';
import { initCommand } from './commands/init.ts';
import { integrationCommands } from './commands/integration.ts';
import { issuerCommands } from './commands/issuer.ts';
import { keyringCommands } from './commands/keyring.ts';
import { objectCommands } from './commands/objects.ts';
import { quickstartCommand } from './commands/quickstart.ts';
import { resourceServerCommands } from './commands/resource-server.ts';
import { serveCommand } from './commands/serve.ts';
import { statusCommand } from './commands/status.ts';
import { storeCommands } from './commands/store.ts';
import { tokenIssuerCommands } from './commands/token-issuer.ts';
import { CliCommand } from './terminal/cli-command.ts';
import { EXIT, EXIT_MEANINGS } from './terminal/exit.ts';
import { collect } from './terminal/options.ts';
import { expectJson, isForScripts } from './terminal/output.ts';

/** Beside src/ in a checkout, beside dist/ in the package. */
const PAGES = join(import.meta.dirname, '../../docs');

const GROUPS = [
  serveCommand,
  quickstartCommand,
  initCommand,
  doctorCommand,
  configCommands,
  integrationCommands,
  resourceServerCommands,
  identityCommands,
  directoryCommands,
  issuerCommands,
  certificateCommands,
  explainCommands,
  tokenIssuerCommands,
  grantCommands,
  eventsCommand,
  refusalsCommand,
  objectCommands,
  statusCommand,
  keyringCommands,
  backupCommands,
  storeCommands,
  callerCommands,
  completionCommand,
];

function exitCodes(): string {
  const lines = Object.entries(EXIT).map(
    ([end, code]) => `  ${String(code).padEnd(3)} ${EXIT_MEANINGS[end as keyof typeof EXIT]}`,
  );
  return `\nExit codes:\n${lines.join('\n')}`;
}

export function buildProgram(): Command {
  const program = new CliCommand('tessera')
    .description('Issues bearer tokens to machines and people, by client certificate or by browser confirmation.')
    .option(
      '-c, --config <file>',
      'the configuration file (else $TESSERA_CONFIG, else tessera.yaml here, if there is one)',
    )
    .option('--set <path=value>', 'override a setting of the file or the environment; may be repeated', collect)
    .option('--server <url>', 'administer this service with the login at it, instead of the store beside this command')
    .option('--login <profile>', 'the same with this login (see: tessera login)')
    .option('--debug', 'show stack traces of faults')
    .version(VERSION, '--version', 'print the version')
    .examples(
      'tessera init --public-url https://tokens.example.com',
      'tessera doctor',
      'tessera grant list --ending 30d',
    )
    .addHelpText('after', exitCodes)
    .addHelpText('after', `\nThe pages that messages name (docs/…) are in ${PAGES}`)
    .configureOutput({
      outputError: (text, write) => write(text.replace(/^error: /, 'tessera: ')),
      writeErr: (text) => void (isForScripts() || process.stderr.write(text)), // with --json, endOf prints it
    })
    .configureHelp({ showGlobalOptions: true })
    .hook('preAction', (_, acting) => expectJson(acting.optsWithGlobals()['json'] === true));
  for (const declare of GROUPS) declare(program);
  for (const command of endingCommands(program)) offerJson(command);
  pointToHelp(program, program.name());
  return program;
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
const WITHOUT_JSON = ['serve', 'quickstart', 'schema', 'reference', 'follow', 'exec'];

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
