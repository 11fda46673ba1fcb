// A member of the cluster of deploy/postgres/patroni.yml: that file with the values of this machine filled
// in, so that the drill tests the file that operators use.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseDocument } from 'yaml';

export const SHIPPED = readFileSync(new URL('../../../deploy/postgres/patroni.yml', import.meta.url), 'utf8');

export interface Place {
  readonly name: string;
  /** Private to this member: data, socket, passwords. */
  readonly folder: string;
  readonly database: string;
  readonly rest: string;
  readonly etcd: string;
  readonly binaries: string;
  /** Folder of the server's certificate and key. */
  readonly certificate: string;
  readonly key: string;
  readonly password: string;
}

export function memberConfiguration(place: Place): string {
  const document = parseDocument(SHIPPED);
  for (const [path, value] of Object.entries(filledIn(place))) {
    const keys = path.split('.');
    if (!document.hasIn(keys)) throw new Error(`deploy/postgres/patroni.yml has no ${path}`);
    document.setIn(keys, value);
  }
  return document.toString();
}

function filledIn(place: Place): Readonly<Record<string, string>> {
  const { name, folder, database, rest, etcd, binaries, certificate, key, password } = place;
  return {
    name,
    'restapi.listen': rest,
    'restapi.connect_address': rest,
    'restapi.authentication.password': password,
    'etcd3.hosts': etcd,
    'bootstrap.dcs.postgresql.parameters.ssl_cert_file': certificate,
    'bootstrap.dcs.postgresql.parameters.ssl_key_file': key,
    'postgresql.listen': database,
    'postgresql.connect_address': database,
    'postgresql.bin_dir': binaries,
    'postgresql.data_dir': dataFolder(place),
    'postgresql.pgpass': join(folder, 'pgpass'),
    'postgresql.parameters.unix_socket_directories': folder,
    'postgresql.authentication.replication.password': password,
    'postgresql.authentication.rewind.password': password,
    'watchdog.mode': 'off', // a drill must not reset the machine it runs on
  };
}

export function dataFolder({ folder }: Pick<Place, 'folder'>): string {
  return join(folder, 'data');
}
