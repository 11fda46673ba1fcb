// The documents of agents that people run, as far as they could be read. `HOST` is the host of the document.

export interface Shape {
  readonly agent: string;
  /** Where the document is published. */
  readonly published: string;
  readonly document: { readonly redirect_uris: readonly string[]; readonly [member: string]: unknown };
  /** The redirect URI of its requests. */
  readonly asks: string;
  /** Where the shape was read, and from when that is. Nothing was fetched from the vendors. */
  readonly source: string;
}

const OF_ISSUE = 'as reported to us, 2026-11';
const LOOPBACK = ['http://localhost/callback', 'http://127.0.0.1/callback'];
const NONE = { token_endpoint_auth_method: 'none' };
const KEY = {
  token_endpoint_auth_method: 'private_key_jwt',
  token_endpoint_auth_signing_alg: 'RS256',
  jwks_uri: 'https://HOST/oauth/jwks.json',
};

export const SHAPES: readonly Shape[] = [
  {
    agent: 'ChatGPT',
    published: 'chatgpt.com/oauth/client.json',
    document: {
      ...KEY,
      redirect_uris: ['https://HOST/connector_platform_oauth_redirect'],
      token_endpoint_auth_methods_supported: ['none', 'private_key_jwt'],
    },
    asks: 'https://HOST/connector_platform_oauth_redirect',
    source: 'django-oauth-toolkit #1845, 2026-08-26',
  },
  {
    agent: 'ChatGPT, apps of developers',
    published: 'chatgpt.com/oauth/ID/client.json',
    document: { ...KEY, redirect_uris: ['https://HOST/connector/oauth/ID'] },
    asks: 'https://HOST/connector/oauth/ID',
    source: 'altinity-mcp #118, 2026-05-15',
  },
  {
    agent: 'Claude',
    published: 'claude.ai',
    document: { ...NONE, redirect_uris: ['https://HOST/api/mcp/auth_callback'] },
    asks: 'https://HOST/api/mcp/auth_callback',
    source: OF_ISSUE,
  },
  {
    agent: 'Claude Code',
    published: 'claude.ai/oauth/claude-code-client-metadata',
    document: { ...NONE, redirect_uris: LOOPBACK },
    asks: 'http://localhost:8080/callback',
    source: 'claude-code #42301, 2026-04-01',
  },
  {
    agent: 'VS Code',
    published: 'vscode.dev/oauth/client-metadata.json',
    document: { ...NONE, redirect_uris: ['http://127.0.0.1:33418/', 'https://HOST/redirect'] },
    asks: 'http://127.0.0.1:33418/',
    source: 'requests: vscode #337174, 2026-09-21; its list is assumed',
  },
  {
    agent: 'Codex',
    published: 'chatgpt.com/oauth/codex/client.json',
    document: { ...NONE, redirect_uris: LOOPBACK },
    asks: 'http://127.0.0.1:37819/callback',
    source: OF_ISSUE,
  },
  {
    agent: 'Goose',
    published: 'goose-docs.ai/oauth/client-metadata.json',
    document: { ...NONE, redirect_uris: ['http://localhost/oauth_callback'] },
    asks: 'http://localhost:51234/oauth_callback',
    source: 'its repository, commit 2827ff60',
  },
  {
    agent: 'opencode',
    published: 'opencode.ai/oauth/opencode/client.json',
    document: { ...NONE, redirect_uris: LOOPBACK, token_endpoint_auth_methods_supported: ['none'] },
    asks: 'http://127.0.0.1:19876/mcp/oauth/callback',
    source: 'opencode #47737, 2026-09-07, and #50510, 2026-09-22',
  },
  {
    agent: 'Cursor',
    published: 'cursor.com',
    document: { ...NONE, redirect_uris: ['cursor://anysphere.cursor-mcp/oauth/callback'] },
    asks: 'cursor://anysphere.cursor-mcp/oauth/callback',
    source: OF_ISSUE,
  },
  {
    agent: 'Dust',
    published: 'dust.tt',
    document: { ...NONE, redirect_uris: ['https://eu.dust.tt/oauth/mcp/finalize'] },
    asks: 'https://eu.dust.tt/oauth/mcp/finalize',
    source: OF_ISSUE,
  },
];
