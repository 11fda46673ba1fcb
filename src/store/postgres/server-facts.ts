import { type HiddenUrl, parseAddress } from './address.ts';
import { type SpreadFacts, spreadFacts } from './citus.ts';
import { connect } from './connection.ts';

export interface ServerFacts {
  /** The database, the server and the role, without a secret. */
  readonly place: string;
  readonly release: string;
  readonly role: string;
  /** Privileges are not checked for a superuser, so a mistake or an attacker could do anything with it. */
  readonly isSuperuser: boolean;
  readonly spread?: SpreadFacts;
}

const FACTS = `SELECT current_database()::text, current_user::text, current_setting('server_version'),
  (SELECT rolsuper FROM pg_roles WHERE rolname = current_user)`;

export async function serverFacts(url: HiddenUrl, environment: NodeJS.ProcessEnv): Promise<ServerFacts> {
  const address = parseAddress(url, environment);
  const connection = await connect(address);
  try {
    const [database, role, release, isSuperuser] = (await connection.run(FACTS)).rows[0] as unknown as Row;
    const hosts = address.hosts.map(({ host, port }) => `${host}:${port}`).join(',');
    const place = `database ${database} at ${hosts}, as ${role}`;
    const spread = connection.isSpread ? { spread: await spreadFacts(connection) } : {};
    return { place, release, role, isSuperuser, ...spread };
  } finally {
    connection.close();
  }
}

type Row = [database: string, role: string, release: string, isSuperuser: boolean];
