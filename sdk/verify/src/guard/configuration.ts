// The file of a guard: JSON, by one schema that editors, the check and docs/guard.schema.json share.
import { BlockList, isIP } from 'node:net';
import { checkPermission } from '../verifier.ts';
import type { CertificateHeader, From } from './asked.ts';
import { readSegments } from './path.ts';
import { type Rule, wordsIn } from './rules.ts';
import { mistakesIn, type Schema } from './schema.ts';

export interface Configuration {
  readonly issuer: string;
  readonly ca?: string;
  readonly resourceServers: readonly ResourceServer[];
  readonly from: From;
  readonly rules?: readonly Rule[];
  readonly listen?: readonly string[];
  readonly allow?: readonly string[];
  readonly tls?: { readonly certificate: string; readonly key: string; readonly clients: string };
  readonly clientCertificate?: CertificateHeader;
  readonly maxStale?: number;
  readonly whenStale?: 'refuse' | 'introspect';
  readonly cacheSize?: number;
}

interface ResourceServer {
  readonly id: string;
  readonly audience: string;
  readonly secretFile: string;
  readonly origin?: string;
  readonly metadata?: boolean;
}

/** A mistake in the file, or in the options of the command. */
export class WrongConfiguration extends Error {
  override readonly name = 'WrongConfiguration';
}

const text = (description: string, more: Schema = {}): Schema => ({ type: 'string', description, ...more });
const list = (description: string, items: Schema): Schema => ({ type: 'array', description, items, minItems: 1 });
const object = (required: readonly string[], properties: Schema['properties'] = {}): Schema => ({
  ...{ type: 'object', additionalProperties: false, required, properties },
});
const METHOD: Schema = { type: 'string', pattern: '^[A-Z]+(-[A-Z]+)*$', examples: ['GET'] };
const WORDS: Schema = { pattern: '^$|^[!#-\\[\\]-~]+( [!#-\\[\\]-~]+)*$', examples: ['orders:read orders:write'] };
const HOST: Schema = { pattern: '^[A-Za-z0-9_-]+(\\.[A-Za-z0-9_-]+)*$', examples: ['orders.example.com'] };

const RULE = object(['path', 'audience', 'scope'], {
  host: text('The host that callers name, without a port. Absent: any host that has no rules of its own.', HOST),
  path: text('This path and all below it. The longest one counts.', { pattern: '^/', examples: ['/orders'] }),
  methods: list('Absent: any. Of the rules for the longest path, the first that has the method counts.', METHOD),
  open: list('Methods that need no token, such as OPTIONS.', METHOD),
  audience: text('Of one of the resource servers.'),
  scope: text('The permissions that are needed, with spaces between them. Empty: any good token.', WORDS),
});

const RESOURCE_SERVER = object(['id', 'audience', 'secretFile'], {
  id: text('As in: tessera resource-server add ID'),
  audience: text('What `aud` of tokens must name.'),
  secretFile: text('A file with what `tessera resource-server secret ID` printed.'),
  origin: text('The address of the API as callers write it, which DPoP proofs name. Usually that of the audience.'),
  metadata: { type: 'boolean', description: 'Serve the metadata of RFC 9728, and name them in refusals.' },
});

export const SCHEMA = {
  $schema: 'http://json-schema.org/draft-07/schema#',
  title: 'The rules of tessera guard',
  ...object(['issuer', 'resourceServers', 'from'], {
    $schema: text('For editors.'),
    issuer: text('The public address of the service, exactly.'),
    ca: text('A PEM file: the authority of the certificate of the service. Absent: those that the machine trusts.'),
    resourceServers: list('The APIs that are guarded.', RESOURCE_SERVER),
    from: text('Where the proxy says what was asked for: in X-Forwarded-Method, -Host and -Uri, or below /check.', {
      enum: ['headers', 'path'],
    }),
    rules: list('Absent: the proxy asks for /check?audience=…&scope=….', RULE),
    listen: list('Absolute paths of unix sockets, and addresses such as 127.0.0.1:9300 (default).', {
      type: 'string',
      pattern: '^/.|^[^/]+:[0-9]+$',
      examples: ['/run/tessera-guard/socket', '127.0.0.1:9300'],
    }),
    allow: list('Networks that may connect. Needed to listen elsewhere than on this machine, unless there is tls.', {
      type: 'string',
      examples: ['10.0.0.0/8'],
    }),
    tls: object(['certificate', 'key', 'clients'], {
      certificate: text('A PEM file.'),
      key: text('A PEM file.'),
      clients: text('A PEM file: the authorities of the proxies that may connect.'),
    }),
    clientCertificate: object(['header', 'form'], {
      header: text('In which the proxy sends the certificate of the caller.'),
      form: text('How it is written.', { enum: ['rfc9440', 'url-encoded-pem', 'xfcc'] }),
    }),
    maxStale: { type: 'number', minimum: 0, description: 'Seconds for which the last news count. Default 30.' },
    whenStale: text('What happens to JWTs afterwards. Default: refuse.', { enum: ['refuse', 'introspect'] }),
    cacheSize: { type: 'number', minimum: 0, description: 'Tokens that are remembered. Default 10,000.' },
  }),
} as const;

/** Throws WrongConfiguration with all mistakes. */
export function checkConfiguration(value: unknown): Configuration {
  const mistakes = mistakesIn(value, SCHEMA);
  if (mistakes.length === 0) mistakes.push(...mistakesBetween(value as Configuration));
  if (mistakes.length > 0) throw new WrongConfiguration(mistakes.join('\n'));
  return value as Configuration;
}

function mistakesBetween({ resourceServers, from, rules, listen = [], allow = [], tls }: Configuration): string[] {
  const audiences = resourceServers.map(({ audience }) => audience);
  const areFar = !tls && allow.length === 0;
  return [
    ...repeated(audiences).map((audience) => `two resource servers have the audience ${audience}`),
    ...(from === 'path' && !rules ? ['from: path needs rules: callers write what follows /check'] : []),
    ...(rules ?? []).flatMap((rule, index) => mistakesOf(rule, `rules[${index}]`, audiences)),
    ...repeated((rules ?? []).flatMap(meantBy)).map((meant) => `two rules are for ${meant}`),
    ...allow.filter((range) => !rangeOf(range)).map((range) => `allow: ${range} is not a network such as 10.0.0.0/8`),
    ...listen
      .filter((address) => areFar && !isOfThisMachine(address))
      .map(
        (address) => `listen: ${address} can be reached from elsewhere. Say who may ask: allow, or tls with clients`,
      ),
  ];
}

function mistakesOf(
  { path, scope, audience, methods, open }: Rule,
  at: string,
  audiences: readonly string[],
): string[] {
  const isPlain = Array.isArray(readSegments(path)) && !/[%;?]|.\/$/.test(path);
  const both = open?.filter((method) => methods?.includes(method)) ?? [];
  return [
    ...(isPlain ? [] : [`${at}.path must be plain: decoded, without // . .. ; ? and without a slash at its end`]),
    ...(audiences.includes(audience) ? [] : [`${at}.audience is of no resource server: ${audiences.join(', ')}`]),
    ...wordsIn(scope).flatMap((word) => mistakeOfPermission(word, at)),
    ...both.map((method) => `${at}: ${method} is in methods and in open`),
  ];
}

function mistakeOfPermission(word: string, at: string): string[] {
  try {
    checkPermission(word);
    return [];
  } catch {
    return [`${at}.scope: ${word} is not a permission such as orders:read`];
  }
}

/** What a rule is for. */
function meantBy({ host = 'any host', path, methods = ['any method'], open = [] }: Rule): string[] {
  return [...methods, ...open].map((method) => `${method}, ${host.toLowerCase()}, ${path}`);
}

function repeated(texts: readonly string[]): string[] {
  return [...new Set(texts.filter((each, index) => texts.indexOf(each) !== index))];
}

/** A unix socket, or loopback. */
export function isOfThisMachine(address: string): boolean {
  return address.startsWith('/') || /^(localhost|127(\.\d+){3}|\[::1\]):\d+$/.test(address);
}

function rangeOf(range: string): readonly [address: string, bits: number, family: 'ipv4' | 'ipv6'] | undefined {
  const [address = '', bits = '', ...rest] = range.split('/');
  const version = isIP(address);
  if (version === 0 || rest.length > 0 || !/^\d{1,3}$/.test(bits) || Number(bits) > (version === 4 ? 32 : 128))
    return undefined;
  return [address, Number(bits), version === 4 ? 'ipv4' : 'ipv6'];
}

/** Whether an address may connect; undefined: any that can. */
export function allowing(ranges: readonly string[] | undefined): ((address: string) => boolean) | undefined {
  if (!ranges) return undefined;
  const list = new BlockList();
  for (const range of ranges) {
    const [address, bits, family] = rangeOf(range) ?? [];
    if (address !== undefined && bits !== undefined) list.addSubnet(address, bits, family);
  }
  return (address) => {
    const plain = address.replace(/^::ffff:(?=\d+\.)/, '');
    return isIP(plain) !== 0 && list.check(plain, isIP(plain) === 4 ? 'ipv4' : 'ipv6');
  };
}
