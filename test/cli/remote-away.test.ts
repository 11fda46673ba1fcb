// Commands at a service: names that mean something else in an address, and what may have been done if it goes away.
// Only in test:all: a service of its own
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import { join } from 'node:path';
import { test } from 'node:test';
import { writePem } from '../../src/pki/der/pem.ts';
import { AdminScene } from '../e2e/admin-scene.ts';
import { freePort } from '../free-port.ts';
import { temporaryFolder } from '../temporary-folder.ts';
import { Commands } from './commands.ts';

test('a name that cannot stand in an address is refused; a change whose answer is lost may have been made', async (t) => {
  const port = await freePort();
  const address = `https://localhost:${port}`;
  const scene = await AdminScene.open({ settings: { publicUrl: address }, listeners: [{ tls: true, port }] });
  const { authority, serverFiles } = scene.service;
  const folder = temporaryFolder('away');
  const olga = authority.issue({ commonName: 'olga' });
  writeFileSync(join(folder, 'olga.pem'), olga.chain.map(writePem).join(''));
  writeFileSync(join(folder, 'olga.key'), olga.key, { mode: 0o600 });
  writeFileSync(join(folder, 'ca.pem'), authority.pem);
  const environment = { XDG_CONFIG_HOME: join(folder, 'config'), XDG_STATE_HOME: join(folder, 'state') };
  const commands = new Commands({ isApart: true, environment });
  t.after(async () => {
    await scene.close();
    await commands.close();
    rmSync(folder, { recursive: true });
  });
  const proof = ['--certificate', 'olga.pem', '--key', 'olga.key', '--ca', 'ca.pem', '--scope', 'tessera:manage'];
  const login = ['login', '--server', address, '--client-id', 'tessera-cli', ...proof];
  assert.equal((await commands.run(login, { folder })).status, 0);
  for (const words of ['integration show', 'grant show', 'identity show', 'integration key list'])
    for (const name of ['', '.', '..']) {
      const shown = await commands.run(['--server', address, ...words.split(' '), name], { folder });
      assert.deepEqual([shown.status, shown.printed], [1, ''], `${words} ${name}`);
    }
  const tls = { cert: readFileSync(serverFiles.certificate), key: readFileSync(serverFiles.key) };
  await scene.close();
  const said = async (...words: string[]) => {
    const { status, stderr } = await commands.run(['--server', address, ...words], { folder });
    assert.equal(status, 9, stderr);
    assert.match(stderr, /cannot be reached|answered 504/);
    return /may or may not have been made/.test(stderr);
  };
  const change = ['integration', 'add', 'shop', '--scope', 'shop:read'];
  assert.equal(await said(...change), false, 'nothing was sent');
  const lost = {
    'no answer': (request: IncomingMessage) => void request.socket.destroy(),
    'a proxy that waited too long': (_: IncomingMessage, response: ServerResponse) =>
      void response.writeHead(504).end(),
  };
  for (const [how, handler] of Object.entries(lost)) {
    const server = createServer(tls, handler).listen(port, '127.0.0.1');
    t.after(() => server.close());
    await once(server, 'listening');
    assert.equal(await said(...change), true, how);
    assert.equal(await said('integration', 'list'), false, 'nothing can have changed');
    await new Promise((resolve) => server.close(resolve));
  }
});
