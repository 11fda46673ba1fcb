import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { writeCertificates } from '../bench/certificates.ts';
import { tessera } from '../bench/contestants/tessera.ts';
import { type Peer, TOKEN_KINDS } from './peer.ts';

/** Tessera on both stores, with its log on. */
export function tesseras(certificates: string): Peer[] {
  const tls = writeCertificates(certificates);
  const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as Peer;
  const common = { product: 'Tessera', version, issues: TOKEN_KINDS, checks: TOKEN_KINDS, coldSeconds: 5 };
  return (['SQLite', 'PostgreSQL'] as const).map((store) => ({
    ...{ ...common, store },
    start: (kind, folder, connections) => {
      const own = join(folder, 'tessera');
      mkdirSync(own, { recursive: true });
      const signing = kind === 'opaque' ? undefined : kind;
      const filling = { known: 5 * connections, others: 1000, signing };
      return tessera({ folder: own, certificates, tls, filling, postgres: store === 'PostgreSQL' }).start();
    },
  }));
}
