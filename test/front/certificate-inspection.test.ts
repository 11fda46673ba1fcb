// Own process: it waits for what other files may have begun before it defines its tests.
import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { type TestContext, test } from 'node:test';
import { connect, createServer, type SecureVersion, type TLSSocket } from 'node:tls';
import pinned from '../../runtime/package.json' with { type: 'json' };
import { canInspect, inspectHandshakes, reportEnded } from '../../src/front/certificate-inspection.ts';
import { secureContext, tlsOptions } from '../../src/front/tls.ts';
import { writePem } from '../../src/pki/der/pem.ts';
import { makeAuthority } from '../authority.ts';

const isPinned = Object.values(pinned.optionalDependencies).includes(process.versions.node);
/** Doctor says it of others. */
const skip = !isPinned && !(await canInspect()) && `Node ${process.version} is not one it was proven on`;
const SERVER_AUTH = '1.3.6.1.5.5.7.3.1';
const root = makeAuthority();
/** A key on P-256, whose equation is spelled out. */
const EXPLICIT_CURVE = Buffer.from(
  generateKeyPairSync('ec', { namedCurve: 'P-256', paramEncoding: 'explicit' }).publicKey.export({
    type: 'spki',
    format: 'der',
  }),
);
const intermediate = root.makeIntermediate();

async function aServer(t: TestContext) {
  const { chain, key } = intermediate.issue({
    commonName: 'localhost',
    dnsNames: ['localhost'],
    usages: [SERVER_AUTH],
  });
  const certificate = chain.map(writePem).join('');
  const files = { certificate, key, clientCertificates: 'request', issuers: [root.pem] } as const;
  const server = createServer(tlsOptions(files, 10_000));
  inspectHandshakes(server);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  t.after(() => server.close());
  const { port } = server.address() as AddressInfo;
  return { server, port, files };
}

/** The server's socket, or the text of the error that the caller got. */
async function shakeHands(
  port: number,
  server: ReturnType<typeof createServer>,
  cert: string,
  key: string,
  maxVersion: SecureVersion = 'TLSv1.3',
) {
  const names = { host: '127.0.0.1', servername: 'localhost' };
  const caller = connect({ port, ...names, ca: root.pem, cert, key, maxVersion });
  const accepted = once(server, 'secureConnection').then(([socket]: TLSSocket[]) => ({ socket, fault: '' }));
  const refused = once(caller, 'error').then(([error]: Error[]) => ({ socket: undefined, fault: `${error?.message}` }));
  const outcome = await Promise.race([accepted, refused]);
  const isServerAuthorized = caller.authorized;
  caller.destroy();
  return { ...outcome, isServerAuthorized };
}

test('authorities are named only where certificates are asked for, and no answer waits for an acknowledgement', () => {
  const files = { certificate: '', key: '', issuers: [root.pem] };
  const [off, on] = (['off', 'request'] as const).map((clientCertificates) =>
    tlsOptions({ ...files, clientCertificates }, 1),
  );
  assert.deepEqual([off?.ca, on?.ca, off?.requestCert, on?.requestCert], [undefined, [root.pem], false, true]);
  assert.equal(on?.noDelay, true);
});

test('the pinned Node can inspect handshakes', {
  skip: !isPinned && `Node ${process.version} is another`,
}, async () => {
  assert.equal(await canInspect(), true);
});

test('a handshake with a longer chain than the limit ends, also after the certificates were exchanged', {
  skip,
}, async (t) => {
  const { server, port, files } = await aServer(t);
  const { certificate, key } = root.issue();
  const count = (bytes: number) => Math.floor(bytes / (intermediate.certificate.length + 5));
  const chainOf = (more: number) =>
    [certificate, ...Array.from({ length: more }, () => intermediate.certificate)].map(writePem).join('');
  for (const exchanged of [false, true]) {
    if (exchanged) {
      server.setSecureContext(secureContext(files));
      inspectHandshakes(server);
    }
    const fits = await shakeHands(port, server, chainOf(count(10_240) - 2), key);
    assert.ok(fits.socket, fits.fault);
    const tooLong = await shakeHands(port, server, chainOf(count(10_240) + 1), key);
    assert.match(tooLong.fault, /illegal parameter/i);
  }
});

test('a certificate with a key that is slow to load ends the handshake, also above a good one', { skip }, async (t) => {
  const { server, port } = await aServer(t);
  const { certificate, key } = root.issue();
  const costly = root.issue({ spki: EXPLICIT_CURVE }).certificate;
  const good = await shakeHands(port, server, writePem(certificate), key);
  assert.ok(good.socket, good.fault);
  for (const maxVersion of ['TLSv1.2', 'TLSv1.3'] as const) {
    const chain = [certificate, costly].map(writePem).join('');
    const { fault } = await shakeHands(port, server, chain, key, maxVersion);
    assert.match(fault, /decode error/i, maxVersion);
  }
});

test('a hello that is longer than any client needs ends the handshake', { skip }, async (t) => {
  const { port } = await aServer(t);
  const protocols = (count: number) => Array.from({ length: count }, (_, n) => `protocol-${'x'.repeat(80)}-${n}`);
  const say = (count: number) =>
    new Promise<string>((resolve) => {
      const caller = connect({
        port,
        host: '127.0.0.1',
        servername: 'localhost',
        ca: root.pem,
        ALPNProtocols: protocols(count),
      });
      caller.once('error', ({ message }) => resolve(message));
      caller.once('secureConnect', () => resolve(caller.destroy() && 'connected'));
    });
  assert.match(await say(40), /connected/);
  assert.match(await say(120), /decode error/i);
});

test('each handshake that is ended is reported with its reason, and no other', { skip }, async (t) => {
  const { server, port } = await aServer(t);
  const reported: string[] = [];
  reportEnded(server, (why) => void reported.push(why));
  const { certificate, key } = root.issue();
  const costly = root.issue({ spki: EXPLICIT_CURVE }).certificate;
  const long = Array.from({ length: 40 }, () => intermediate.certificate);
  await shakeHands(port, server, writePem(certificate), key);
  for (const maxVersion of ['TLSv1.2', 'TLSv1.3'] as const)
    for (const chain of [
      [certificate, costly],
      [certificate, ...long],
    ]) {
      const before = reported.length;
      const [, { socket }] = await Promise.all([
        once(server, 'tlsClientError'),
        shakeHands(port, server, chain.map(writePem).join(''), key, maxVersion),
      ]);
      assert.equal(socket, undefined);
      assert.equal(reported.length, before + 1);
    }
  assert.deepEqual(
    reported.map((why) => /never accepted|too long/.exec(why)?.[0]),
    ['never accepted', 'too long', 'never accepted', 'too long'],
  );
});
