// The same cases as real TLS handshakes: a client that presents the case's chain with the case's key, a server that
// requests a certificate, reads the chain from the socket and validates it itself, as the service does.
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { connect, createServer, type TLSSocket } from 'node:tls';
import { chainOf } from '../../src/doors/caller/presented-certificate.ts';
import { makeAuthority } from '../../test/authority.ts';
import { isPathAccepted, type LimboCase, readHandshakeCases, runCase } from './limbo.ts';

// Weak keys and signatures must reach our rules, not fail in OpenSSL before them.
const LENIENT = { ciphers: 'DEFAULT:@SECLEVEL=0', rejectUnauthorized: false } as const;
const SERVER = makeAuthority().issue({ commonName: 'localhost' });

interface Tally {
  readonly accepted: string[];
  readonly refused: string[];
  readonly right: string[];
  /** Cases whose key or certificate TLS itself refuses. */
  readonly unfit: string[];
}

export async function runHandshakes(folder: string): Promise<Tally> {
  const tally: Tally = { accepted: [], refused: [], right: [], unfit: [] };
  for (const limbo of readHandshakeCases(folder)) tally[await outcomeOf(limbo)].push(limbo.id);
  const { accepted, refused, right, unfit } = tally;
  const total = accepted.length + refused.length + right.length;
  console.log(
    `handshakes, profile strict: ${total}, ${accepted.length} wrongly accepted, ${refused.length} wrongly refused`,
  );
  for (const id of accepted) console.log(`  accepted  ${id}`);
  for (const id of refused) console.log(`  refused   ${id}`);
  if (unfit.length > 0) console.log(`  TLS itself refuses key or certificate: ${unfit.join(', ')}`);
  return tally;
}

async function outcomeOf(limbo: LimboCase): Promise<keyof Tally> {
  const chain = await shake(limbo);
  if (!chain) return 'unfit';
  const accepted = isPathAccepted(runCase(limbo, 'strict', chain).explanation);
  if (accepted === (limbo.expected_result === 'SUCCESS')) return 'right';
  return accepted ? 'accepted' : 'refused';
}

/** The received chain, or nothing if the handshake failed. */
async function shake(limbo: LimboCase): Promise<readonly Uint8Array[] | undefined> {
  const server = createServer({
    ...LENIENT,
    cert: SERVER.pem,
    key: SERVER.key,
    requestCert: true,
    ca: [...limbo.trusted_certs],
  });
  try {
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const arrival = new Promise<TLSSocket>((resolve, reject) => {
      server.once('secureConnection', resolve);
      server.once('tlsClientError', reject);
    });
    const client = connect({ ...clientOptions(limbo), port: (server.address() as AddressInfo).port });
    client.on('error', () => undefined);
    const socket = await arrival;
    const chain = chainOf(socket);
    client.destroy();
    return chain.length > 0 ? chain : undefined;
  } catch {
    return undefined;
  } finally {
    server.close();
  }
}

function clientOptions({ peer_certificate, untrusted_intermediates, peer_key }: LimboCase) {
  const key = `-----BEGIN ${peer_key?.label}-----\n${peer_key?.base64.replace(/.{64}(?=.)/g, '$&\n')}\n-----END ${peer_key?.label}-----\n`;
  // Limbo lists authorities from the root down; in a handshake each certificate certifies the one before it (RFC 5246 7.4.2).
  const cert = [peer_certificate, ...untrusted_intermediates.toReversed()].join('\n');
  return { ...LENIENT, host: '127.0.0.1', key, cert };
}
