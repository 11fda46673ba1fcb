// An API on each framework, as a program: prints their ports, and ends at SIGTERM. At SIGUSR2 its clock is an hour ahead.
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { verifier } from '../../../sdk/verify/src/verify.ts';
import { FRAMEWORKS } from './framework-apis.ts';

const { options, hasClock = false } = JSON.parse(process.env['ORDER'] ?? '');
let ahead = 0;
process.on('SIGUSR2', () => {
  ahead += 3_600_000;
});
const guard = await verifier({ ...options, ...(hasClock && { now: () => Date.now() + ahead }) });
const servers: Server[] = [];
for (const listener of Object.values(FRAMEWORKS)) {
  const server = createServer((await listener(guard)) as RequestListener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  servers.push(server);
}
console.log(JSON.stringify(servers.map((server) => (server.address() as AddressInfo).port)));
process.once('SIGTERM', () => {
  guard.close();
  for (const server of servers) server.close().closeAllConnections();
});
