import { serve } from '@hono/node-server';
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server';
import { verifier } from '@tessera/verify';

const guard = await verifier({
  issuer: 'https://localhost:8443',
  resourceServer: { id: 'orders-mcp', secret: process.env.TESSERA_SECRET, audience: 'http://localhost:3001/mcp' },
});
const handler = createMcpHandler(() => {
  const server = new McpServer({ name: 'orders', version: '1.0.0' });
  server.registerTool('whoami', { description: 'Whose orders these are' }, ({ http }) => ({
    content: [{ type: 'text', text: http.authInfo.extra.identity }],
  }));
  return server;
});
serve({ fetch: guard.mcpFetch(handler, 'orders:read'), port: 3001 });
