// Clients that nobody registered: their client_id is the address of a document that describes them (OAuth Client ID Metadata
// Document). They are guests of one integration, which fixes their scope.
import { parseObject } from './json.ts';
import { accept, type Outcome, refused } from './outcome.ts';
import { isLoopback, isRedirectUri } from './redirect-uri.ts';

export type ClientUrl = string & { readonly is: 'address of a client' };

export interface ClientDocuments {
  /** Host names, with a port unless it is the default; or `*` for all with the default port. */
  readonly hosts: readonly string[];
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
  const { host, port } = new URL(text);
  const isAllowed = documents.hosts.some((allowed) => allowed === host || (allowed === '*' && port === ''));
  return isAllowed ? { clientId: documents.integration, guest: text as ClientUrl } : { clientId: text };
}

/** https with a path, without user name or fragment, and written as browsers write it: one client has one address. */
function isClientUrl(text: string): boolean {
  if (!text.startsWith('https://') || text.length > CLIENT_URL_MAX_LENGTH || !URL.canParse(text)) return false;
  const { href, pathname, username, password, hash } = new URL(text);
  return href === text && pathname !== '/' && !username && !password && !hash;
}

/** What a document says, as far as it counts. */
export interface ClientDocument {
  readonly url: ClientUrl;
  /** What the client calls itself: nobody has checked it. */
  readonly name: string;
  readonly redirectUris: readonly string[];
}

const MOST_REDIRECT_URIS = 50;
const NAME_LENGTH = 60;

export function readClientDocument(text: string, url: ClientUrl): Outcome<ClientDocument, string> {
  const document = parseObject(text);
  if (!document) return refused('it is not a JSON object');
  const { client_id: id, client_name: name, redirect_uris: uris, token_endpoint_auth_method: method } = document;
  if (id !== url) return refused('its client_id is not its address');
  if (method !== undefined && method !== 'none') return refused('its token_endpoint_auth_method is not none');
  if ('client_secret' in document) return refused('it has a client_secret');
  const redirectUris = Array.isArray(uris) ? uris.slice(0, MOST_REDIRECT_URIS).filter((uri) => isOf(url, uri)) : [];
  if (redirectUris.length === 0) return refused('none of its redirect_uris is on loopback or has its own origin');
  return accept({ url, name: typeof name === 'string' ? shownName(name) : '', redirectUris });
}

function isOf(url: ClientUrl, uri: unknown): uri is string {
  if (typeof uri !== 'string' || !isRedirectUri(uri)) return false;
  return isLoopback(uri) || new URL(uri).origin === new URL(url).origin;
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
