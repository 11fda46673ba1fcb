// The certificate that a request presents: that of the handshake, or the one that a listed proxy names.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { TLSSocket } from 'node:tls';
import type { FastifyRequest } from 'fastify';
import type { CertificateHeader } from '../../../src/core/certificate.ts';
import { connectionReader } from '../../../src/doors/caller/connection.ts';
import { presentedReader } from '../../../src/doors/caller/presented-certificate.ts';

const PROXY = '10.0.0.1';
const readConnection = connectionReader([PROXY]);

interface Sent {
  readonly from?: string;
  readonly rawHeaders?: readonly string[];
  readonly socket?: object;
  readonly stream?: object;
}

function presented(header: CertificateHeader | 'off', sent: Sent, headerName?: string) {
  const { from = PROXY, rawHeaders = [], socket = {}, stream } = sent;
  const named = rawHeaders.flatMap((name, at) => (at % 2 === 0 ? [[name.toLowerCase(), rawHeaders[at + 1]]] : []));
  const raw = {
    httpVersionMajor: 1,
    rawHeaders,
    socket: Object.defineProperty(socket, 'remoteAddress', { value: from }),
    stream,
  };
  const request = { raw, headers: Object.fromEntries(named) } as unknown as FastifyRequest;
  return presentedReader({ readConnection, header, headerName })(request);
}

suite('behind a listed proxy', () => {
  for (const [header, name] of [
    ['rfc9440', 'Client-Cert'],
    ['url-encoded-pem', 'X-Client-Cert'],
    ['xfcc', 'X-Forwarded-Client-Cert'],
  ] as const)
    test(`${name} is read line by line, in any letter case: a second one is not joined to the first`, () => {
      const rawHeaders = [name, 'a', 'Via', name.toLowerCase(), name.toUpperCase(), 'b', 'Client-Cert-Chain', 'c'];
      const chainLines = header === 'rfc9440' ? ['c'] : [];
      assert.deepEqual(presented(header, { rawHeaders }), { by: 'header', header, lines: ['a', 'b'], chainLines });
    });

  test('the header may have another name', () => {
    const rawHeaders = ['Client-Cert', 'a', 'X-Ours', 'b'];
    const { lines } = presented('rfc9440', { rawHeaders }, 'X-Ours') as { lines?: unknown };
    assert.deepEqual(lines, ['b']);
  });

  test('nothing is presented where no header is agreed on, nor by the certificate of the proxy', () => {
    const socket = tlsSocket('leaf');
    assert.deepEqual(presented('off', { rawHeaders: ['Client-Cert', 'a'], socket }), { by: 'nothing' });
    const { lines } = presented('rfc9440', { socket }) as { lines?: unknown };
    assert.deepEqual(lines, []);
  });
});

/** As Node shows what a caller has sent: each names the next one, and a root itself. */
function tlsSocket(...sent: readonly string[]): TLSSocket {
  const certificates = sent.map((text) => ({
    raw: Buffer.from(text),
    issuerCertificate: undefined as object | undefined,
  }));
  for (const [at, each] of certificates.entries()) each.issuerCertificate = certificates[at + 1] ?? each;
  return Object.defineProperty(Object.create(TLSSocket.prototype), 'getPeerX509Certificate', {
    value: () => certificates[0],
  });
}

suite('by anybody else', () => {
  const from = '192.0.2.1';
  const shown = (sent: Sent) => {
    const { by, chain, hasIgnoredHeader } = presented('rfc9440', { from, ...sent }) as unknown as Record<
      string,
      unknown
    >;
    return [by, [chain].flat().map(String), hasIgnoredHeader];
  };

  test('that of the handshake counts, over HTTP/1.1 and HTTP/2; a header is noticed and ignored', () => {
    const socket = tlsSocket('leaf', 'authority', 'root');
    const chain = ['leaf', 'authority', 'root'];
    assert.deepEqual(shown({ socket }), ['handshake', chain, false]);
    assert.deepEqual(shown({ stream: { session: { socket } } }), ['handshake', chain, false]);
    assert.deepEqual(shown({ rawHeaders: ['Client-Cert', 'a'], socket }), ['handshake', chain, true]);
    assert.deepEqual(shown({}), ['handshake', [], false], 'without TLS');
    assert.deepEqual(shown({ socket: tlsSocket() }), ['handshake', [], false]);
  });

  test('a chain is read up to one certificate more than the 32 that are allowed, so that it is refused', () => {
    const many = Array.from({ length: 37 }, (_, n) => `certificate ${n}`);
    assert.deepEqual(shown({ socket: tlsSocket(...many) }), ['handshake', many.slice(0, 33), false]);
  });
});
