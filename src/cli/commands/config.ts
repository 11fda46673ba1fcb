import type { CliCommand } from '../terminal/cli-command.ts';

const work = () => import('./work/config.ts');

export function configCommands(program: CliCommand): void {
  const config = program.command('config').description('check and show the configuration');

  config
    .command('check')
    .description('report mistakes in the configuration')
    .option('--offline', 'do not connect to PostgreSQL')
    .examples('tessera config check', 'tessera --config /etc/tessera/tessera.yaml config check')
    .runs(async () => (await work()).checkConfig);

  config
    .command('show')
    .description('show every setting in effect; secrets are hidden')
    .option('--json', 'as JSON')
    .examples('tessera config show', 'tessera config show --json | jq .tokens')
    .runs(async () => (await work()).showConfig);

  config
    .command('schema')
    .description('print the JSON Schema of the configuration file, for editors')
    .examples('tessera config schema > tessera.schema.json')
    .runs(async () => (await work()).printSchema);
}
