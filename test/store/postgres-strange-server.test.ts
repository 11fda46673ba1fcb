// Servers that do not speak as PostgreSQL does, or say nothing. No real server behaves so on demand.
import assert from 'node:assert/strict';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { type TestContext, test } from 'node:test';
import { parseAddress } from '../../src/store/postgres/address.ts';
import { Connections } from '../../src/store/postgres/connections.ts';
import { openPostgres } from '../../src/store/postgres/open.ts';
import { StoreUnavailable } from '../../src/store/store.ts';

function message(type: string, body: Buffer): Buffer {
  const head = Buffer.from(`${type}0000`);
  head.writeInt32BE(body.length + 4, 1);
  return Buffer.concat([head, body]);
}

function authentication(kind: number): Buffer {
  const body = Buffer.alloc(4);
  body.writeInt32BE(kind);
  return message('R', body);
}

const READY = Buffer.concat([authentication(0), message('Z', Buffer.from('I'))]);
const GSSAPI = authentication(7);

/** Returns its address. */
async function strangeServer(t: TestContext, speak: (socket: Socket) => void) {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket.on('error', () => undefined));
    socket.once('data', () => speak(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { reveal: () => `postgres://u:p@127.0.0.1:${port}/d?connect_timeout=1&statement_timeout=500` };
}

for (const [what, speak] of [
  ['asks for GSSAPI', (socket) => void socket.write(GSSAPI)],
  ['asks for something unknown', (socket) => void socket.write(authentication(99))],
  ['asks for GSSAPI in an open session', (socket) => socket.write(READY, () => void socket.write(GSSAPI))],
  ['speaks HTTP', (socket) => void socket.end('HTTP/1.1 400 Bad Request\r\n\r\n')],
  ['says nothing in an open session', (socket) => void socket.write(READY)],
] as const satisfies readonly (readonly [string, (socket: Socket) => void])[]) {
  test(`a server that ${what} is unavailable, and the process goes on`, async (t) => {
    const connections = new Connections(parseAddress(await strangeServer(t, speak), {}));
    t.after(() => connections.sessions.close());
    await assert.rejects(connections.read('SELECT 1'), StoreUnavailable);
  });
}

test('a start does not wait for a server that says nothing: it is told, and asks again', async (t) => {
  const url = await strangeServer(t, (socket) => void socket.write(READY));
  const giveUp = new Error('told');
  const whileAway = () => {
    throw giveUp;
  };
  await assert.rejects(openPostgres({ url, environment: {}, whileAway }), giveUp);
});
