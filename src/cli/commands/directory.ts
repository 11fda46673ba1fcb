import { command, group } from '../terminal/command.ts';
import { AS_JSON, argument, flag, text } from '../terminal/options.ts';

const LABEL = { label: argument('the directory, as the configuration names it') };

const work = () => import('./work/directory.ts');

export const commands = {
  directory: group('LDAP and Active Directory', {
    check: command({
      about: 'show step by step what can be seen of a directory; changes nothing',
      arguments: LABEL,
      options: { name: text('<name>', 'a user name, e-mail address or user principal name to look for'), ...AS_JSON },
      examples: ['tessera directory check corp', 'tessera directory check corp --name ada@example.com'],
      run: async (given, to) => (await work()).check(given, to),
    }),
    recheck: command({
      about: 'ask it now about everybody who has a living grant; accounts that ended there end here',
      arguments: LABEL,
      options: { acceptEndings: flag('end them even if they are more than 5 % and at least 10'), ...AS_JSON },
      examples: ['tessera directory recheck corp', 'tessera directory recheck corp --accept-endings'],
      run: async (given, to) => (await work()).recheck(given, to),
    }),
  }),
};
