// An MCP server of the 1.x package on Express, and one of the 2.x package for web-standard requests, each protected by one line.
import { serve } from '@hono/node-server';
import { McpServer as FirstServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server';
import express from 'express';
import { type McpHandler, verifier } from '../../sdk/verify/src/verify.ts';

const { issuer, secret, audience, sdk } = JSON.parse(process.env['ORDER'] ?? '') as Record<string, string>;
const guard = await verifier({ issuer, resourceServer: { id: 'orders-mcp', secret, audience } });
const port = Number(new URL(audience ?? '').port);

function startFirst(): void {
  const app = express();
  app.use(guard.mcp('orders:read'));
  app.use(express.json());
  app.all('/mcp', async (request, response) => {
    const server = new FirstServer({ name: 'orders', version: '1.0.0' });
    server.registerTool('whoami', { description: 'Whose orders these are' }, async ({ authInfo }) => ({
      content: [{ type: 'text', text: String(authInfo?.extra?.['identity']) }],
    }));
    const transport = new StreamableHTTPServerTransport({});
    await server.connect(transport as never);
    await transport.handleRequest(request as never, response, request.body);
  });
  app.listen(port);
}

function startSecond(): void {
  const handler: McpHandler = createMcpHandler(() => new McpServer({ name: 'orders', version: '1.0.0' }));
  serve({ fetch: guard.mcpFetch(handler, 'orders:read'), port });
}

if (sdk === '1') startFirst();
else startSecond();
