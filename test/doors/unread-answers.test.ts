// Own process: Node warns once per process.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { suite, type TestContext, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { boundUnread } from '../../src/doors/server/unread-answers.ts';
import { unsentOf } from '../kernel-queue.ts';

const UNREAD = Buffer.alloc(16 * 1024 * 1024);
const TIMEOUT_MS = 1000;

/** The service's end of a connection whose caller does not read, with more than the kernel takes. */
async function unreadConnection(t: TestContext, { isBound }: { readonly isBound: boolean }) {
  const server = createServer();
  await once(server.listen(0, '127.0.0.1'), 'listening');
  if (isBound) assert.equal(boundUnread(server, TIMEOUT_MS), true);
  const { port } = server.address() as AddressInfo;
  const caller = connect(port, '127.0.0.1').pause();
  const [socket] = (await once(server, 'connection')) as [Socket];
  t.after(() => {
    caller.destroy();
    server.close();
  });
  socket.on('error', () => undefined).write(UNREAD);
  await wait(100);
  return { socket, inKernel: () => unsentOf(port) };
}

suite('an answer that is not read', () => {
  test('is in the kernel to a small part only', async (t) => {
    const { inKernel } = await unreadConnection(t, { isBound: true });
    const bytes = inKernel() ?? 0;
    assert.ok(bytes > 0 && bytes <= 256 * 1024, `${bytes} bytes`);
  });

  test('would fill the kernel otherwise', async (t) => {
    const { inKernel } = await unreadConnection(t, { isBound: false });
    assert.ok((inKernel() ?? 0) > 1024 * 1024, `${inKernel()} bytes`);
  });

  test('ends its connection in time', async (t) => {
    const { socket } = await unreadConnection(t, { isBound: true });
    const ended = new Promise((resolve) => socket.once('error', ({ code }: NodeJS.ErrnoException) => resolve(code)));
    assert.equal(await Promise.race([ended, wait(20_000, 'still open')]), 'ETIMEDOUT');
  });

  test('leaves nothing in the kernel for long when its connection is closed', async (t) => {
    const { socket, inKernel } = await unreadConnection(t, { isBound: true });
    socket.destroy();
    for (let waited = 0; inKernel() !== undefined && waited < 20_000; waited += 100) await wait(100);
    assert.equal(inKernel(), undefined);
  });
});

test('Node gives no warning, and where it cannot call C, the service works without', () => {
  const module = fileURLToPath(new URL('../../src/doors/server/unread-answers.ts', import.meta.url));
  const script = `import { createServer } from 'node:net'; import { boundUnread } from ${JSON.stringify(module)};
    const server = createServer().listen(0, '127.0.0.1', () => { console.log(boundUnread(server, 1000)); server.close(); });`;
  const run = (...flags: string[]) =>
    execFileSync(
      process.execPath,
      [...flags, '--input-type=module', '--eval', `${script} process.on('warning', console.log);`],
      {
        encoding: 'utf8',
      },
    );
  assert.deepEqual([run(), run('--no-experimental-ffi')], ['true\n', 'false\n']);
});
