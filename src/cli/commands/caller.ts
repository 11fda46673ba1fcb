// For programs and people that call the service: the commands of @tessera/client. They need neither a configuration nor a store.
import type { Command } from 'commander';
import { type CallerCommand, callerCommands as commandsOfClient } from '../../../sdk/client/src/cli.ts';
import { examples } from '../terminal/options.ts';
import { printOnly, remark, result } from '../terminal/output.ts';

export function callerCommands(program: Command): void {
  for (const command of commandsOfClient({ program: 'tessera', note: remark, qrCode })) declare(program, command);
}

function declare(program: Command, { name, about, argument, options, examples: lines, run }: CallerCommand): void {
  const [inner = '', group] = name.split(' ').reverse();
  const command = (group ? profiles(program, group) : program).command(inner).description(about);
  for (const option of options) command.option(...option);
  if (argument) command.argument(...argument);
  command.addHelpText('after', examples(...lines)).action(async () => {
    const { text, value = {} } = await run(command.opts(), command.args);
    if (text === undefined) result(value);
    else printOnly(text, value);
  });
}

function profiles(program: Command, name: string): Command {
  const found = program.commands.find((command) => command.name() === name);
  return found ?? program.command(name).description('the logins of this user');
}

async function qrCode(text: string): Promise<string> {
  return (await import('uqr')).renderUnicodeCompact(text, { border: 2 });
}
