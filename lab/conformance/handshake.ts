// The same cases as real TLS handshakes: a client that presents the case's chain with the case's key, a server that
// requests a certificate and takes the chain from the socket. OpenSSL's verdict must agree where the anchor is self-signed.
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { connect, createServer, type TLSSocket } from 'node:tls';
import { isSelfIssued, isSelfSigned, readCertificate } from '../../src/pki/certificate.ts';
import { rememberChains } from '../../src/pki/handshake-chain.ts';
import { readPem } from '../../src/pki/pem.ts';
import { makeAuthority } from '../../test/authority.ts';
import { isPathAccepted, type LimboCase, readHandshakeCases, runCase } from './limbo.ts';

interface Shaken {
  readonly chain: readonly Uint8Array[];
  readonly isAuthorized: boolean;
}

// Weak keys and signatures must reach our rules, not fail in OpenSSL before them.
const LENIENT = { ciphers: 'DEFAULT:@SECLEVEL=0', rejectUnauthorized: false } as const;
const SERVER = makeAuthority().issue({ commonName: 'localhost' });

interface Tally {
  readonly accepted: string[];
  readonly refused: string[];
  readonly right: string[];
  /** Key or certificate with which TLS itself makes no handshake. */
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
  const shaken = await shake(limbo);
  if (!shaken) return 'unfit';
  const accepted = isAccepted(limbo, shaken);
  if (accepted === (limbo.expected_result === 'SUCCESS')) return 'right';
  return accepted ? 'accepted' : 'refused';
}

function isAccepted(limbo: LimboCase, { chain, isAuthorized }: Shaken): boolean {
  const ours = isPathAccepted(runCase(limbo, 'strict', chain).explanation);
  return ours && (isAuthorized || !limbo.trusted_certs.every(isSelfSignedPem));
}

/** By name as well as by key, for OpenSSL knows no other roots. */
function isSelfSignedPem(pem: string): boolean {
  const [der = new Uint8Array()] = readPem(pem, 'CERTIFICATE');
  const certificate = readCertificate(der);
  return certificate.ok && isSelfIssued(certificate.value) && isSelfSigned(certificate.value);
}

async function shake(limbo: LimboCase): Promise<Shaken | undefined> {
  const server = createServer({
    ...LENIENT,
    cert: SERVER.pem,
    key: SERVER.key,
    requestCert: true,
    ca: [...limbo.trusted_certs],
  });
  const chainOf = rememberChains(server);
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
    const shaken = { chain: chainOf(socket), isAuthorized: socket.authorized };
    client.destroy();
    return shaken.chain.length > 0 ? shaken : undefined;
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
