// A client of the official MCP packages, in a process of its own: connects, calls tools, prints what it got. The browser is the parent: it
// reads the address that is printed, and writes what the redirect carried.
import { createInterface } from 'node:readline';

export interface Order {
  readonly url: string;
  readonly sdk: 1 | 2;
  readonly redirectUri: string;
  /** How the service knows it: registered, or by a document. */
  readonly clientId?: string;
  readonly documentUrl?: string;
  readonly tools: readonly string[];
  /** Of another process, as this one last saw them. */
  readonly tokens?: object | undefined;
}
interface Transport {
  finishAuth(answer: URLSearchParams | string): Promise<void>;
}
interface Client {
  connect(transport: Transport): Promise<void>;
  callTool(call: object): Promise<{ readonly content: readonly { readonly text: string }[] }>;
  close(): Promise<void>;
}
interface Names {
  readonly Client: new (info: object) => Client;
  readonly StreamableHTTPClientTransport: new (url: URL, options: object) => Transport;
}

const PACKAGES = {
  1: async () => ({
    ...(await import('@modelcontextprotocol/sdk/client/index.js')),
    ...(await import('@modelcontextprotocol/sdk/client/streamableHttp.js')),
  }),
  2: () => import('@modelcontextprotocol/client'),
};
const order = JSON.parse(process.env['ORDER'] ?? '') as Order;
const redirects = createInterface({ input: process.stdin })[Symbol.asyncIterator]();
const print = (line: object) => process.stdout.write(`${JSON.stringify(line)}\n`);
const names = (await PACKAGES[order.sdk]()) as unknown as Names;

/** As in the examples of these packages, in memory. */
const kept: Record<string, unknown> = { tokens: order.tokens };
const authProvider = {
  redirectUrl: order.redirectUri,
  ...(order.documentUrl && { clientMetadataUrl: order.documentUrl }),
  clientMetadata: { client_name: 'Coder', redirect_uris: [order.redirectUri], token_endpoint_auth_method: 'none' },
  clientInformation: () => kept['client'] ?? (order.clientId ? { client_id: order.clientId } : undefined),
  saveClientInformation: (client: unknown) => {
    kept['client'] = client;
  },
  tokens: () => kept['tokens'],
  saveTokens: (tokens: unknown) => {
    kept['tokens'] = tokens;
    print({ tokens });
  },
  saveCodeVerifier: (verifier: string) => {
    kept['verifier'] = verifier;
  },
  codeVerifier: () => kept['verifier'],
  saveDiscoveryState: (state: unknown) => {
    kept['discovery'] = state;
  },
  discoveryState: () => kept['discovery'],
  redirectToAuthorization: (url: URL) => print({ open: url.href }),
};

/** After the browser was opened, the work is begun again. */
async function withBrowser<T>(work: (transport: Transport) => Promise<T>): Promise<T> {
  for (;;) {
    const transport = new names.StreamableHTTPClientTransport(new URL(order.url), { authProvider });
    try {
      return await work(transport);
    } catch (error) {
      if ((error as Error).name !== 'UnauthorizedError' && (error as Error).constructor.name !== 'UnauthorizedError')
        throw error;
      const answer = new URLSearchParams((await redirects.next()).value);
      await transport.finishAuth(order.sdk === 2 ? answer : (answer.get('code') ?? ''));
    }
  }
}

for (const name of order.tools) {
  const called = await withBrowser(async (transport) => {
    const client = new names.Client({ name: 'coder', version: '1.0.0' });
    await client.connect(transport);
    const { content } = await client.callTool({ name, arguments: {} });
    await client.close();
    return content[0]?.text;
  });
  print({ called });
  // The next call finds an access token that the API no longer accepts, and refreshes.
  kept['tokens'] = { ...(kept['tokens'] as object), access_token: 'tsa_expired' };
}
process.exit(0);
