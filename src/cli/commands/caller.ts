// For programs and people that call the service: the commands of @tessera/client. They need neither a configuration nor a store.

import {
  type CallerCommand,
  type CurrentLogin,
  callerCommands as commandsOfClient,
  currentLogin as loginOfClient,
} from '../../../sdk/client/src/cli.ts';
import { PERMISSIONS } from '../../core/rules/operator.ts';
import { type Commands, type Declares, examplesText, group } from '../terminal/command.ts';
import { CommandFailure } from '../terminal/exit.ts';
import { printOnly, remark, result } from '../terminal/output.ts';

const qrCode = async (text: string) => (await import('uqr')).renderUnicodeCompact(text, { border: 2 });
const declared = commandsOfClient({ program: 'tessera', note: remark, qrCode });
const ofProfiles = ({ name }: CallerCommand) => name.startsWith('profile ');

export const commands: Commands = {
  ...declaring(declared.filter((each) => !ofProfiles(each))),
  profile: group('the logins of this user', declaring(declared.filter(ofProfiles))),
};

function declaring(those: readonly CallerCommand[]): Commands {
  return Object.fromEntries(those.map((each) => [each.name.split(' ').at(-1), declares(each)]));
}

function declares({ name: path, about, argument, options, examples, run }: CallerCommand): Declares {
  return (parent, name) => {
    const command = parent.command(name).description(about);
    for (const option of options) command.option(...option);
    if (argument) command.argument(...argument);
    command.addHelpText('after', examplesText(examples));
    command.action(async () => {
      refuseUnknownPermission(command.opts()['scope']);
      const { login, ...flags } = command.optsWithGlobals<{ readonly login?: string; readonly server?: string }>();
      if (flags.server !== undefined && path !== 'login')
        throw new CommandFailure('usage', '--server does not choose a login', 'Name the login with --login.');
      const profile = login !== undefined && { profile: login };
      const { text, value = {} } = await run({ ...profile, ...flags }, command.args);
      if (text === undefined) result(value);
      else printOnly(text, value);
    });
  };
}

/** Of the scopes for administration there are three. */
function refuseUnknownPermission(scope = ''): void {
  const named = /\btessera:([\w,]+)/.exec(scope)?.[1]?.split(',') ?? [];
  const unknown = named.find((name) => !PERMISSIONS.some((known) => known === name));
  if (unknown === undefined) return;
  const todo = `Use ${PERMISSIONS.map((name) => `tessera:${name}`).join(', ')}: each includes those before it.`;
  throw new CommandFailure('usage', `there is no scope tessera:${unknown}`, todo);
}

export type { CurrentLogin };

/** The service of a login, and a valid access token for it. */
export function currentLogin(profile: string | undefined): Promise<CurrentLogin> {
  return loginOfClient({ program: 'tessera', note: remark }, profile);
}
