import { fork } from 'node:child_process';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { browser, stored, tokenSource } from '@tessera/client';

const isWorker = process.send !== undefined;
const tokens = tokenSource({
  server: 'https://localhost:8443',
  clientId: 'coder',
  by: isWorker ? stored() : browser(),
});
if (isWorker) {
  const client = new Client({ name: 'coder', version: '1.0.0' });
  const authProvider = { token: () => tokens.get() };
  await client.connect(new StreamableHTTPClientTransport(new URL('http://localhost:3001/mcp'), { authProvider }));
  const { content } = await client.callTool({ name: 'whoami', arguments: {} });
  process.send(content[0].text);
  process.exit();
} else {
  await tokens.login();
  for (let worker = 1; worker <= 4; worker++)
    fork(import.meta.filename).on('message', (identity) => console.log(`worker ${worker} works for ${identity}`));
}
