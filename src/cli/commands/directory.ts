import { declares } from '../terminal/manual.ts';

const TEXT = `
directory                     LDAP and Active Directory
  <label>                     the directory, as the configuration names it
directory check <label>       show step by step what can be seen of a directory; changes nothing
  --name <name>               a user name, e-mail address or user principal name to look for
  --json                      as JSON
  $ tessera directory check corp
  $ tessera directory check corp --name ada@example.com
directory recheck <label>     ask it now about everybody who has a living grant; accounts that ended there end here
  --accept-endings            end them even if they are more than 5 % and at least 10
  --json                      as JSON
  $ tessera directory recheck corp
  $ tessera directory recheck corp --accept-endings
`;

export const commands = declares(TEXT, {
  'directory check': async () => (await import('./work/directory.ts')).check,
  'directory recheck': async () => (await import('./work/directory.ts')).recheck,
});
