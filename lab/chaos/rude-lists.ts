// Misbehaving CRL and OCSP servers in their own process. Argument: a folder with lists, served by
// name. Prints its port; replies to "tell" with the request count of each path.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { rudeServer } from '../../test/outbound/rude-server.ts';

const [folder = ''] = process.argv.slice(2);
const file = (name: string) => readFileSync(join(folder, name));
let turn = 0;

const server = await rudeServer({
  good: (response) => response.end(file('good.crl')),
  huge: (response) => response.end(file('huge.crl')),
  // Every other request fails, and the lists it serves have expired.
  flapping: (response) => (turn++ % 2 === 0 ? response.end(file('flapping.crl')) : response.writeHead(503).end()),
  garbage: (response) => response.end(Buffer.alloc(100_000, 0x30)),
});

process.on('message', () => process.send?.(server.asked));
process.on('disconnect', () => process.exit());
process.send?.(server.port);
