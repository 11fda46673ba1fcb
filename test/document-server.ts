// The https server of people who make clients: documents and key sets, and what it was asked for.
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { makeDevelopmentAuthority } from '../src/pki/development-authority.ts';
import { systemRandom } from '../src/system.ts';

type Reply = (response: ServerResponse) => void;

export class DocumentServer implements AsyncDisposable {
  readonly asked: string[] = [];
  /** What a path serves instead of the usual document: a text, or what is done with the response. */
  readonly served = new Map<string, string | Reply>();
  readonly origin: string;
  readonly #server: Server;

  private constructor(server: Server) {
    this.#server = server;
    this.origin = `https://localhost:${(server.address() as AddressInfo).port}`;
    server.on('request', ({ url = '' }, response) => {
      this.asked.push(url);
      const own = this.served.get(url) ?? this.document(url);
      if (typeof own === 'string') response.end(own);
      else own(response);
    });
  }

  static async open(): Promise<DocumentServer> {
    const authority = makeDevelopmentAuthority(new Date(), systemRandom);
    const { certificate, key } = authority.issueServer(['localhost']);
    setDefaultCACertificates([...getCACertificates('default'), authority.certificate]);
    const server = createServer({ cert: certificate, key }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new DocumentServer(server);
  }

  document(path: string, difference: object = {}): string {
    const redirect_uris = ['http://127.0.0.1/callback'];
    return JSON.stringify({ client_id: this.origin + path, client_name: 'Coder', redirect_uris, ...difference });
  }

  /** So that a service fetches from here. */
  get sets(): readonly string[] {
    const { host } = new URL(this.origin);
    return [`oauth.clientDocuments=["${host}"]`, 'oauth.clientDocumentAddresses=[127.0.0.1]'];
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
  }
}
