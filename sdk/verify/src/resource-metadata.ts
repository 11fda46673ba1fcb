// The protected resource metadata of this API (RFC 9728): clients learn from it where to get a token.
import type { Allowed } from './check.ts';
import type { Settings } from './options.ts';
import type { Answer } from './refusal.ts';

const WELL_KNOWN = '/.well-known/oauth-protected-resource';
const PUBLIC = {
  'content-type': 'application/json',
  'cache-control': 'max-age=300',
  'access-control-allow-origin': '*',
};
const PREFLIGHT = {
  'access-control-allow-origin': '*',
  'access-control-allow-methods': 'GET, HEAD',
  'access-control-allow-headers': '*',
};

export class ResourceMetadata {
  /** RFC 9728 3.1: the well-known part comes before the path of the API. */
  readonly url: string;
  readonly #path: string;
  readonly #settings: Settings;
  readonly #scopes = new Set<string>();

  constructor(settings: Settings) {
    const { audience } = settings.resourceServer;
    if (!/^https?:\/\//.test(audience) || !URL.canParse(audience))
      throw new TypeError(
        'resourceServer.audience must be the address of this API, such as https://mcp.example.com/mcp',
      );
    const { origin, pathname, search } = new URL(audience);
    this.#path = `${WELL_KNOWN}${pathname === '/' ? '' : pathname}`;
    this.url = `${origin}${this.#path}${search}`;
    this.#settings = settings;
  }

  /** What some call of this API needs. */
  addScopes(permissions: readonly string[]): void {
    for (const permission of permissions) this.#scopes.add(permission);
  }

  /** The answer if a request asks for the document, otherwise undefined. */
  answerFor(method: string | undefined, target: string): Answer | undefined {
    if (target.split('?')[0] !== this.#path) return undefined;
    if (method === 'OPTIONS') return { status: 204, headers: PREFLIGHT, body: '' };
    if (method !== 'GET' && method !== 'HEAD')
      return { status: 405, headers: { allow: 'GET, HEAD, OPTIONS' }, body: '' };
    const { issuer, resourceServer } = this.#settings;
    const document = {
      resource: resourceServer.audience,
      authorization_servers: [issuer],
      bearer_methods_supported: ['header'],
      ...(this.#scopes.size > 0 && { scopes_supported: [...this.#scopes] }),
    };
    return { status: 200, headers: PUBLIC, body: method === 'HEAD' ? '' : JSON.stringify(document) };
  }
}

/** `AuthInfo` of the official MCP packages. */
export interface McpAuth {
  readonly token: string;
  readonly clientId: string;
  readonly scopes: string[];
  readonly expiresAt: number;
  readonly resource: URL;
  readonly resourceMetadataUrl: string;
  readonly extra: { readonly identity: string };
}

export function mcpAuth(token: string, allowed: Allowed, audience: string, resourceMetadataUrl: string): McpAuth {
  const { guest, integration, scope, expiresAt, identity } = allowed;
  return {
    token,
    clientId: guest ?? integration,
    scopes: [...scope],
    expiresAt,
    resource: new URL(audience),
    resourceMetadataUrl,
    extra: { identity },
  };
}
