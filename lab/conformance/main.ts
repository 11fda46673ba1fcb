// npm run conformance -- SUITE [ARGUMENT …]
//   x509 FOLDER    the x509-limbo cases of a folder, by dry run and as TLS handshakes
//   honest         unusual chains made by openssl and Go: what both accept, we accept
//   libraries [NAME …]    OAuth libraries of Python, Go and Java, unmodified: keys, secrets, exchange, authorization codes
//   postgres [--server FOLDER] [--races N]    the store suite and races on PostgreSQL, such as /usr/lib/postgresql/15
//   authsvc --against FOLDER [--without-header NAME]    the answers of the authsvc door, compared with those of another checkout
import { runAuthsvc } from './authsvc.ts';
import { runHonest } from './honest.ts';
import { runLibraries } from './libraries.ts';
import { runPostgres } from './postgres.ts';
import { runX509 } from './x509.ts';

const SUITES: Readonly<Record<string, (args: readonly string[]) => Promise<number>>> = {
  authsvc: runAuthsvc,
  honest: runHonest,
  libraries: runLibraries,
  postgres: runPostgres,
  x509: runX509,
};

const [name = '', ...args] = process.argv.slice(2);
const run = SUITES[name];
if (!run) {
  console.error(`usage: npm run conformance -- ${Object.keys(SUITES).join('|')} …`);
  process.exit(2);
}
process.exitCode = await run(args);
