import type { Command } from 'commander';
import { examples } from '../terminal/options.ts';
import { print, printJson } from '../terminal/output.ts';
import { configOf } from '../terminal/workplace.ts';

export function configCommands(program: Command): void {
  const config = program.command('config').description('check and show the configuration');

  config
    .command('check')
    .description('say what is wrong with the configuration, if anything')
    .addHelpText('after', examples('tessera config check', 'tessera --config /etc/tessera/tessera.yaml config check'))
    .action(async (_, command: Command) => {
      await configOf(command);
      print('The configuration is in order.');
    });

  config
    .command('show')
    .description('show every setting as it is in force; secrets are hidden')
    .option('--json', 'as JSON')
    .addHelpText('after', examples('tessera config show', 'tessera config show --json | jq .tokens'))
    .action(async ({ json }: { json?: true }, command: Command) => {
      const { shownConfig, shownYaml } = await import('../../config/show.ts');
      const shown = shownConfig(await configOf(command));
      if (json) printJson(shown);
      else process.stdout.write(shownYaml(shown));
    });

  config
    .command('schema')
    .description('print the JSON Schema of the configuration file, for editors')
    .addHelpText('after', examples('tessera config schema > tessera.schema.json'))
    .action(async () => printJson((await import('../../config/json-schema.ts')).configJsonSchema()));

  config
    .command('reference')
    .description('print the page that explains every setting')
    .addHelpText('after', examples('tessera config reference > docs/configuration.md'))
    .action(async () => {
      process.stdout.write((await import('../../config/reference.ts')).configReference());
    });
}
