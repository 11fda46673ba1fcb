// Clients that nobody registered: their client_id is the address of a document that describes them (OAuth Client ID Metadata
// Document). They are guests of one integration, which fixes their scope.
import { type JsonObject, objectOf, parseObject } from './json.ts';
import type { KeySource } from './key-source.ts';
import { accept, type Outcome, type Refused, refused } from './outcome.ts';
import { escapeControls } from './quote.ts';
import { isLoopback, isPrivateUse, isRedirectUri } from './redirect-uri.ts';
import type { Refusal } from './refusal.ts';
import { ASSERTION_ALGORITHMS, type AssertionAlgorithm } from './token-issuer.ts';

export type ClientUrl = string & { readonly is: 'address of a client' };

/** Where documents and their key sets may come from. */
export interface AllowedHost {
  /** A host name, with a port unless it is the default; or `*` for all with the default port. */
  readonly host: string;
  /** `listed`: a document may have redirect URIs of other origins, and of private-use schemes. */
  readonly redirects: 'own' | 'listed';
}

export interface ClientDocuments {
  readonly hosts: readonly AllowedHost[];
  /** The client id of the integration whose guests they are. */
  readonly integration: string;
}

export interface NamedClient {
  readonly clientId: string;
  readonly guest?: ClientUrl;
}

export const CLIENT_URL_MAX_LENGTH = 512;

/** What names clients: the registered integrations come first. */
export interface ClientNames {
  readonly settings: { readonly clientDocuments?: ClientDocuments | undefined };
  readonly registry: { readonly integration: (clientId: string) => object | undefined };
}

/** An integration, or a guest of one. A client_id that names neither is looked up like one of an integration, and not found. */
export function namedClient(
  text: string,
  { settings: { clientDocuments: documents }, registry }: ClientNames,
): NamedClient {
  if (!documents || !isClientUrl(text) || registry.integration(text)) return { clientId: text };
  return allowedHost(text, documents.hosts)
    ? { clientId: documents.integration, guest: text as ClientUrl }
    : { clientId: text };
}

/** The entry for the host of an address: its own, or that for all hosts. */
function allowedHost(address: string, hosts: readonly AllowedHost[]): AllowedHost | undefined {
  const { host, port } = new URL(address);
  return hosts.find((allowed) => allowed.host === host) ?? hosts.find((any) => any.host === '*' && port === '');
}

/** https with a path, without user name or fragment, and written as browsers write it, without a dot after the host: one client has one address. */
export function isClientUrl(text: string): boolean {
  if (!text.startsWith('https://') || text.length > CLIENT_URL_MAX_LENGTH || !URL.canParse(text)) return false;
  const { href, hostname, pathname, username, password, hash } = new URL(text);
  return href === text && !hostname.endsWith('.') && pathname !== '/' && !username && !password && !hash;
}

/** What a document says, as far as it counts. */
export interface ClientDocument {
  readonly url: ClientUrl;
  /** What the client calls itself: nobody has checked it. */
  readonly name: string;
  readonly redirectUris: readonly string[];
  /** Listed, but of another origin or a private-use scheme, which the entry of the host does not allow. */
  readonly withheld: readonly string[];
  /** What its assertions are checked with (RFC 7523 2.2). Absent: it cannot authenticate. */
  readonly keys?: KeySource;
  readonly algorithms: readonly AssertionAlgorithm[];
  /** Whether it may come without an assertion. */
  readonly mayComeWithout: boolean;
}

/** Why a document is refused. `allow`: the setting by which an operator would accept it. */
export interface DocumentFlaw {
  readonly why: string;
  readonly allow?: string;
}

const MOST_REDIRECT_URIS = 50;
const NAME_LENGTH = 60;

export function readClientDocument(
  text: string,
  url: ClientUrl,
  hosts: readonly AllowedHost[],
): Outcome<ClientDocument, DocumentFlaw> {
  const document = parseObject(text);
  if (!document) return flawed('it is not a JSON object');
  const { client_id: id, client_name: name, redirect_uris: uris } = document;
  if (id !== url) return flawed('its client_id is not its address');
  if ('client_secret' in document) return flawed('it has a client_secret');
  const proof = readProof(document, hosts);
  if (!proof.ok) return proof;
  const listed = Array.isArray(uris) ? uris.slice(0, MOST_REDIRECT_URIS).filter(isListable) : [];
  if (listed.length === 0) return flawed('it lists no redirect_uris that can be used');
  const redirects = allowedHost(url, hosts)?.redirects;
  const redirectUris = listed.filter((uri) => redirects === 'listed' || isOwn(url, uri));
  const withheld = listed.filter((uri) => !redirectUris.includes(uri));
  if (redirectUris.length === 0) return refused(redirectFlaw(url, withheld[0] ?? ''));
  const shown = typeof name === 'string' ? shownName(name) : '';
  return accept({ url, name: shown, redirectUris, withheld, ...proof.value });
}

function flawed(why: string) {
  return refused<DocumentFlaw>({ why });
}

/** RFC 8252 7.1: apps of desktops list schemes that have no dot. */
function isListable(uri: unknown): uri is string {
  return typeof uri === 'string' && (isRedirectUri(uri) || isPrivateUse(uri));
}

function isOwn(url: ClientUrl, uri: string): boolean {
  return isLoopback(uri) || new URL(uri).origin === new URL(url).origin;
}

/** Of a redirect URI that the document lists and the entry of its host does not allow. */
export function redirectFlaw(url: ClientUrl, uri: string): DocumentFlaw {
  const { host } = new URL(url);
  const why = `its redirect URI ${uri} has another origin than the document`;
  return { why, allow: `oauth.clientDocuments: [{ host: ${entryOf(host)}, redirects: listed }]` };
}

/** Why documents of this address are not looked at. */
export function hostFlaw(address: string): DocumentFlaw {
  const { host } = new URL(address);
  return { why: `its host ${host} is not allowed`, allow: `oauth.clientDocuments: [${entryOf(host)}]` };
}

/** In YAML, a colon within brackets needs quotes. */
function entryOf(host: string): string {
  return host.includes(':') ? `'${host}'` : host;
}

/** Operators see which document it was, and which setting would allow it. */
export function refuseDocument<const R extends string>(
  reason: R,
  document: string,
  { why, allow }: DocumentFlaw,
): Refused<Refusal<R>> {
  return refused({ reason, claimed: { document, why: escapeControls(why), ...(allow && { allow }) } });
}

const METHODS: readonly unknown[] = ['none', 'private_key_jwt'];

/** How it authenticates. A secret cannot be shared by way of a public document (draft 4.1). */
function readProof(
  document: JsonObject,
  hosts: readonly AllowedHost[],
): Outcome<Pick<ClientDocument, 'keys' | 'algorithms' | 'mayComeWithout'>, DocumentFlaw> {
  const { token_endpoint_auth_method: method, token_endpoint_auth_methods_supported: others } = document;
  const methods = Array.isArray(others) && others.length > 0 ? others : [method ?? 'none'];
  if (method !== undefined && !METHODS.includes(method))
    return flawed('its token_endpoint_auth_method is not none or private_key_jwt');
  if (!methods.some((each) => METHODS.includes(each)))
    return flawed('its token_endpoint_auth_methods_supported have neither none nor private_key_jwt');
  const mayComeWithout = methods.includes('none');
  const { jwks, jwks_uri: address } = document;
  const isBare = mayComeWithout && method !== 'private_key_jwt' && jwks === undefined && address === undefined;
  if (isBare || ![method, ...methods].includes('private_key_jwt')) return accept({ algorithms: [], mayComeWithout });
  const keys = readKeys(document, hosts);
  if (!keys.ok) return keys;
  const algorithms = readAlgorithms(document);
  return algorithms.ok ? accept({ keys: keys.value, algorithms: algorithms.value, mayComeWithout }) : algorithms;
}

/** RFC 7591 2: one algorithm that it signs with, or any. */
function readAlgorithms({ token_endpoint_auth_signing_alg: named }: JsonObject) {
  if (named === undefined) return accept(ASSERTION_ALGORITHMS);
  const known = ASSERTION_ALGORITHMS.filter((algorithm) => algorithm === named);
  return known.length > 0 ? accept(known) : flawed('its token_endpoint_auth_signing_alg is not one that is supported');
}

const ADDRESS_MAX_LENGTH = 512;

function readKeys(
  { jwks: set, jwks_uri: address }: JsonObject,
  hosts: readonly AllowedHost[],
): Outcome<KeySource, DocumentFlaw> {
  if (set !== undefined && address !== undefined) return flawed('it has both jwks and jwks_uri');
  if (set !== undefined) {
    const why = whyNotPublicKeys(set);
    return why === undefined ? accept({ from: 'file', set: JSON.stringify(set) }) : flawed(`its jwks: ${why}`);
  }
  if (address === undefined) return flawed('it has private_key_jwt, but neither jwks nor jwks_uri');
  if (typeof address !== 'string' || address.length > ADDRESS_MAX_LENGTH || !isClientUrl(address))
    return flawed('its jwks_uri is not an https address with a path, as browsers write it');
  if (allowedHost(address, hosts)) return accept({ from: 'url', url: address, isOfGuest: true });
  const { why, allow } = hostFlaw(address);
  return refused({ why: `its jwks_uri: ${why}`, allow: allow ?? '' });
}

const MOST_KEYS = 100;

/** RFC 7517 5. Who publishes a private key has lost it. */
export function whyNotPublicKeys(set: unknown): string | undefined {
  const keys = objectOf(set)?.['keys'];
  if (!Array.isArray(keys)) return 'it is not a JSON Web Key Set: {"keys": [...]}';
  if (keys.length === 0) return 'it has no keys';
  if (keys.length > MOST_KEYS) return `it has more than ${MOST_KEYS} keys`;
  const isSecret = (key: unknown) => 'd' in (objectOf(key) ?? {}) || 'k' in (objectOf(key) ?? {});
  return keys.some(isSecret) ? 'it has a private or symmetric key' : undefined;
}

/** Without characters that could pass for others, or change the direction of what follows. */
function shownName(name: string): string {
  return name.replace(/[^\p{L}\p{M}\p{N} .,_()+-]/gu, '').slice(0, NAME_LENGTH);
}

const HOUR = 3600;

/** For how many seconds a document is kept: as its Cache-Control says, within an hour and a day (RFC 9111 5.2.2). */
export function documentAge(cacheControl: string | null): number {
  const [, age] = /(?:^|[\s,])max-age="?([0-9]{1,9})/i.exec(cacheControl ?? '') ?? [];
  return Math.min(Math.max(Number(age ?? 0), HOUR), 24 * HOUR);
}
