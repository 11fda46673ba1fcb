import { optional } from '../../schema.ts';
import { choice, duration, optionalEntries, optionalSection, path, section, text, texts } from '../setting.ts';

const ATTRIBUTE = '^[A-Za-z][A-Za-z0-9-]{0,63}$';
const attribute = (description: string, example: string) =>
  optional(text('the name of an attribute', ATTRIBUTE, { description, example }));
const FILTER = { expected: 'a filter of RFC 4515, in parentheses', pattern: '^\\(.+\\)$' };
const DN = { expected: 'a distinguished name', pattern: '^[^=]+=.+$' };

export const directories = optionalEntries(
  'Directories besides the local one: LDAP or Active Directory (docs/directories.md).',
  {
    label: text('a label of letters, digits and _.+-, other than local', '^(?!local$)[A-Za-z][A-Za-z0-9_.+-]{0,63}$', {
      description: 'The part of its identities before the colon. Issuers name the directory by it.',
      example: 'corp',
    }),
    kind: choice(['ldap', 'active-directory'], {
      description: 'Which attributes carry the id, the names and the state of an account.',
      default: 'ldap',
    }),
    servers: texts('a list of ldaps://HOST or ldap://HOST', '^ldaps?://[^\\s/?#@]+$', {
      description: 'Its servers, tried in turn. `ldap://` uses StartTLS; nothing is sent without TLS.',
      example: ['ldaps://ldap1.example.com', 'ldaps://ldap2.example.com'],
    }),
    authorities: optional(
      path({
        description: 'PEM file with the authorities of the servers’ certificates. If absent, the public ones.',
        example: '/etc/tessera/ldap-ca.pem',
      }),
    ),
    bindDn: text(DN.expected, DN.pattern, {
      description: 'The service account that searches.',
      example: 'cn=tessera,ou=services,dc=example,dc=com',
    }),
    passwordFile: path({
      description: 'A file with the password of the service account, read for every connection.',
      example: '/etc/tessera/ldap-password',
    }),
    base: text(DN.expected, DN.pattern, {
      description: 'People are looked for below this entry.',
      example: 'ou=people,dc=example,dc=com',
    }),
    filter: optional(
      text(FILTER.expected, FILTER.pattern, {
        description: 'Which entries are people.',
        example: '(objectClass=person)',
      }),
    ),
    attributes: section('Attributes that carry names, if not the usual ones.', {
      userName: attribute('The user name: `uid`, or `sAMAccountName` of Active Directory.', 'uid'),
      email: attribute('The e-mail address: `mail`.', 'mail'),
      upn: attribute('The user principal name: none, or `userPrincipalName` of Active Directory.', 'krbPrincipalName'),
    }),
    groups: optionalSection(
      'Where groups come from. If absent, nobody has groups. Integrations name them `LABEL/name`.',
      {
        from: choice(['member-of', 'search', 'token-groups'], {
          description:
            '`member-of`: the attribute of the entry. `search`: groups that name the entry. `token-groups`: of Active Directory, with groups in groups.',
          default: 'search',
        }),
        base: text(DN.expected, DN.pattern, {
          description: 'Only groups below this entry count.',
          example: 'ou=groups,dc=example,dc=com',
        }),
        filter: optional(
          text(FILTER.expected, FILTER.pattern, {
            description: 'Which entries are groups; not for `member-of`.',
            example: '(objectClass=groupOfNames)',
          }),
        ),
        nameAttribute: text('the name of an attribute', ATTRIBUTE, {
          description: 'The attribute with the name of a group; `member-of` uses the first part of its entry’s name.',
          default: 'cn',
        }),
        memberAttribute: text('the name of an attribute', ATTRIBUTE, {
          description: 'With `search`: the attribute that lists members.',
          default: 'member',
        }),
      },
    ),
    recheckAfter: duration({
      description: 'How soon an account that was disabled, deleted or moved to other groups has lost its access here.',
      default: '5m',
    }),
    trustFor: duration({
      description: 'How long identities are used as last seen while the directory cannot answer.',
      default: '24h',
    }),
    timeout: duration({ description: 'How long a server may take to connect, and to answer.', default: '5s' }),
  },
);
