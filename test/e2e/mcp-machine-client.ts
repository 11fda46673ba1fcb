// A machine with a provider of the official MCP packages, unmodified, in a process of its own: connects, calls a tool, prints its result.
export interface MachineOrder {
  readonly url: string;
  readonly sdk: 1 | 2;
  readonly provider: string;
  readonly options: Readonly<Record<string, string>>;
  /** What the provider asks its caller for: the assertion of an enterprise. */
  readonly assertion?: string;
}
interface Client {
  connect(transport: object): Promise<void>;
  callTool(call: object): Promise<{ readonly content: readonly { readonly text: string }[] }>;
}
type Maker<T> = new (...options: unknown[]) => T;

const PACKAGES = {
  1: async () => ({
    ...(await import('@modelcontextprotocol/sdk/client/index.js')),
    ...(await import('@modelcontextprotocol/sdk/client/streamableHttp.js')),
    ...(await import('@modelcontextprotocol/sdk/client/auth-extensions.js')),
  }),
  2: () => import('@modelcontextprotocol/client'),
};
const { url, sdk, provider, options, assertion } = JSON.parse(process.env['ORDER'] ?? '') as MachineOrder;
const names = (await PACKAGES[sdk]()) as unknown as Record<string, Maker<object>>;
const make = (name: string, ...given: unknown[]) => new (names[name] as Maker<object>)(...given);

const authProvider = make(provider, { ...options, ...(assertion && { assertion: async () => assertion }) });
const client = make('Client', { name: 'robot', version: '1.0.0' }) as Client;
await client.connect(make('StreamableHTTPClientTransport', new URL(url), { authProvider }));
const { content } = await client.callTool({ name: 'whoami', arguments: {} });
process.stdout.write(`${JSON.stringify({ called: content[0]?.text })}\n`);
process.exit(0);
