// A member of the cluster that deploy/postgres/patroni.yml describes: that very file, with what depends on the place filled
// in. So what the drill tries is what operators are given.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseDocument } from 'yaml';

export const SHIPPED = readFileSync(new URL('../../../deploy/postgres/patroni.yml', import.meta.url), 'utf8');

export interface Place {
  readonly name: string;
  /** Of this member alone: data, socket, passwords. */
  readonly folder: string;
  readonly database: string;
  readonly rest: string;
  readonly etcd: string;
  readonly binaries: string;
  /** Of the server's certificate and its key. */
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
