import type { Command } from 'commander';
import { examples } from '../terminal/options.ts';

const work = () => import('./work/config.ts');

export function configCommands(program: Command): void {
  const config = program.command('config').description('check and show the configuration');

  config
    .command('check')
    .description('report mistakes in the configuration')
    .option('--offline', 'do not connect to PostgreSQL')
    .addHelpText('after', examples('tessera config check', 'tessera --config /etc/tessera/tessera.yaml config check'))
    .action(async (flags: { offline?: true }, command: Command) => (await work()).checkConfig(flags, command));

  config
    .command('show')
    .description('show every setting in effect; secrets are hidden')
    .option('--json', 'as JSON')
    .addHelpText('after', examples('tessera config show', 'tessera config show --json | jq .tokens'))
    .action(async (flags: { json?: true }, command: Command) => (await work()).showConfig(flags, command));

  config
    .command('schema')
    .description('print the JSON Schema of the configuration file, for editors')
    .addHelpText('after', examples('tessera config schema > tessera.schema.json'))
    .action(async () => (await work()).printSchema());
}
