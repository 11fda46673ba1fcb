import { optional } from '../../schema.ts';
import {
  choice,
  duration,
  keyringSource,
  networks,
  optionalEntries,
  optionalSection,
  path,
  section,
  text,
  texts,
} from '../setting.ts';

const attribute = (description: string, usual: string | { readonly example: string }) =>
  text('the name of an attribute', '^[A-Za-z][A-Za-z0-9-]{0,63}$', description, usual);
const filter = (description: string, example: string) =>
  optional(text('a filter of RFC 4515, in parentheses', '^\\(.+\\)$', description, { example }));
const name = (description: string, example: string) =>
  text('a distinguished name', '^[^=]+=.+$', description, { example });

const NOT_EMPTY = { minItems: 1 };

const label = text(
  'a label of letters, digits and _.+-, other than local and integration',
  '^(?!(?:local|integration)$)[A-Za-z][A-Za-z0-9_.+-]{0,63}$',
  'The part of its identities before the colon.',
  { example: 'corp' },
);
const authorities = optional(
  path('PEM file with its authorities, if not public.', { example: '/etc/tessera/ldap-ca.pem' }),
);
const GROUP = '^[^\\u0000-\\u001f]{1,256}$';
const GROUP_NAMES = ['a group name', 'group names'] as const;
const powers = {
  operators: texts(GROUP_NAMES, GROUP, 'Its groups whose members are `operators` here.', {
    default: [],
    example: ['tessera-admins'],
  }),
  viewers: texts(GROUP_NAMES, GROUP, 'Likewise for `viewers`.', {
    default: [],
    example: ['tessera-readers'],
  }),
};
const timeout = duration('How long a server may take to connect or answer.', '5s', { least: 1, most: 60 });

const ldap = {
  label,
  kind: {
    ...choice(['ldap', 'active-directory'], '`ldap`, `active-directory`, or `oidc`: an OpenID provider.', 'ldap'),
    expected: 'one of ldap, active-directory, oidc',
  },
  servers: texts(
    ['ldaps://HOST or ldap://HOST', 'ldaps://HOST or ldap://HOST'],
    '^ldaps?://[^\\s/?#@]+$',
    'Its servers, tried in turn. `ldap://` uses StartTLS.',
    { example: ['ldaps://ldap1.example.com', 'ldaps://ldap2.example.com'] },
    NOT_EMPTY,
  ),
  authorities,
  bindDn: name('The service account that searches.', 'cn=tessera,ou=services,dc=example,dc=com'),
  passwordFile: path('A file with its password.', { example: '/etc/tessera/ldap-password' }),
  base: name('People are looked for below this entry.', 'ou=people,dc=example,dc=com'),
  filter: filter('Which entries are people.', '(objectClass=person)'),
  attributes: section('Attributes that carry names, if not the usual ones.', {
    userName: optional(attribute('The user name.', { example: 'uid' })),
    email: optional(attribute('The e-mail address.', { example: 'mail' })),
    upn: optional(attribute('The user principal name.', { example: 'krbPrincipalName' })),
  }),
  groups: optionalSection(
    'Where groups come from. If absent, nobody has groups. Integrations name them `LABEL/name`.',
    {
      from: choice(
        ['member-of', 'search', 'token-groups'],
        '`member-of`: an attribute. `search`: groups that name the entry. `token-groups`: of Active Directory.',
        'search',
      ),
      base: name('Groups are looked for below this entry.', 'ou=groups,dc=example,dc=com'),
      filter: filter('Which entries are groups, except with `member-of`.', '(objectClass=groupOfNames)'),
      nameAttribute: attribute('The attribute with the name of a group.', 'cn'),
      memberAttribute: attribute('With `search`: the attribute that lists members.', 'member'),
    },
  ),
  ...powers,
  recheckAfter: duration('How soon an account that ended loses access.', '5m', {
    least: 10,
  }),
  trustFor: duration('How long identities work as last seen, without an answer.', '24h'),
  timeout,
};

const CLAIM = '^[\\u0021-\\u007e]{1,128}$';
const claim = (description: string, example: string) => text('the name of a claim', CLAIM, description, { example });

const oidc = {
  label,
  kind: choice(['oidc'], 'An OpenID provider.', { example: 'oidc' }),
  name: optional(
    text(
      'a text of at most 40 characters',
      '^[^\\u0000-\\u001f]{1,40}$',
      '`oidc`: the name on the button, else the label.',
      { example: 'Example Corp' },
    ),
  ),
  issuer: text('https:// and a name', '^https://[^\\s?#@]+$', '`oidc`: the issuer, exactly as in its metadata.', {
    example: 'https://login.example.com',
  }),
  clientId: text('the id of this service there', '^[ -~]{1,256}$', '`oidc`: the client registered there.', {
    example: 'tessera',
  }),
  clientSecret: optional(
    keyringSource(
      '`oidc`: a file with its secret, or `env:NAME`.',
      { example: '/etc/tessera/oidc-secret' },
      'the secret',
    ),
  ),
  authorities,
  addresses: networks('`oidc`: private addresses of the provider.', ['10.2.0.0/16']),
  scopes: texts(
    ['a scope', 'scopes'],
    '^[!-~]{1,128}$',
    '`oidc`: scopes to request, `openid` among them.',
    ['openid', 'profile', 'email'],
    {
      contains: { const: 'openid' },
    },
  ),
  idClaims: texts(
    ['a claim', 'claims'],
    CLAIM,
    '`oidc`: claims that identify a person. A change gives everybody another identity.',
    { default: ['sub'], example: ['tid', 'oid'] },
    NOT_EMPTY,
  ),
  claims: section('Claims that carry names and groups. The e-mail address is `email`, if `email_verified` is true.', {
    userName: optional(claim('The user name: a claim that people cannot set.', 'preferred_username')),
    groups: optional(claim('A list of groups.', 'groups')),
  }),
  ...powers,
  strong: optionalSection('`oidc`: what proves a sign-in that administration accepts.', {
    claim: claim('The claim of the ID token.', 'amr'),
    values: texts(['a text', 'texts'], '^.{1,256}$', 'One must be among its values.', {
      example: ['hwk', 'mfa'],
    }),
  }),
  scim: optionalSection('`oidc`: the directory pushes its users and groups (the door `scim`).', {
    integration: text('a client id', '^[!-~]{1,128}$', 'The integration whose secrets it sends.', {
      example: 'entra-scim',
    }),
    id: choice(
      ['externalId', 'userName'],
      'The attribute with the value of the last claim in `idClaims`.',
      'externalId',
    ),
    firstClaims: texts(['a text', 'texts'], '^.{1,256}$', 'The values of the claims before it, fixed.', {
      default: [],
      example: ['11111111-2222-3333-4444-555555555555'],
    }),
  }),
  maxAge: duration('`oidc`: grants end if the person has not signed in for this long.', '30d', { least: 300 }),
  timeout,
};

export const directories = optionalEntries('Directories besides the local one (docs/directories.md).', ldap, oidc);
