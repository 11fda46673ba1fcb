// One contestant in its own process: `bare` or `tessera`, and the approved issuer's certificate as base64. Prints
// where it listens and the certificate to trust, as JSON.
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { makeAuthority } from '../../test/authority.ts';
import { issueServer, startService } from '../../test/e2e/service.ts';

const [kind, issuer = ''] = process.argv.slice(2);
const certificate = Buffer.from(issuer, 'base64');

/** The service's answer, except for its numbers. */
const ANSWER = JSON.stringify({ access_token: 'a'.repeat(100), refresh_token: 'r'.repeat(100), rest: 'x'.repeat(200) });

async function startBare(): Promise<{ port: number; ca: string }> {
  const authority = makeAuthority();
  const { pem: cert, key } = issueServer(authority);
  const server = createServer({ cert, key, requestCert: true, rejectUnauthorized: false }, (request, response) => {
    request.resume().on('end', () => response.setHeader('content-type', 'application/json').end(ANSWER));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { port: (server.address() as AddressInfo).port, ca: authority.pem };
}

async function startTessera(): Promise<{ port: number; ca: string }> {
  const { port, authority } = await startService({
    issuers: [{ label: 'figures', certificate }],
    log: { level: 'error' },
  });
  return { port, ca: authority.pem };
}

process.stdout.write(`${JSON.stringify(kind === 'bare' ? await startBare() : await startTessera())}\n`);
process.on('disconnect', () => process.exit());
