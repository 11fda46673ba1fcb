// A real CRL server that counts requests.
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { contextTag } from '../src/pki/der/der.ts';
import { write, writeContext, writeSequence } from '../src/pki/der/der-write.ts';
import { EXTENSION } from '../src/pki/x509/extensions.ts';
import { extension } from './signed-der.ts';

export interface ListServer {
  readonly url: string;
  requests: number;
  /** Its response: a list, a status, or nothing. */
  serve: Uint8Array | number | 'silence';
  /** The extension by which a certificate names this server. */
  readonly point: Uint8Array;
  close(): void;
}

export async function listServer(list: Uint8Array): Promise<ListServer> {
  const server = createServer((_, response) => {
    started.requests++;
    answer(response, started.serve);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/ca.crl`;
  const started: ListServer = {
    url,
    requests: 0,
    serve: list,
    point: distributionPoint(url),
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
  return started;
}

function answer(response: ServerResponse, what: ListServer['serve']): void {
  if (what === 'silence') return;
  if (typeof what === 'number') response.writeHead(what).end();
  else response.end(what);
}

export function distributionPoint(url: string): Uint8Array {
  const name = writeContext(0, writeContext(0, write(contextTag(6, 'primitive'), Buffer.from(url))));
  return extension(EXTENSION.crlDistributionPoints, writeSequence(writeSequence(name)));
}
