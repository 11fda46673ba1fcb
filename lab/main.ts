// npm run lab: every promise in its short form, and one report. npm run lab -- NAME: one drill or program.
import { parseArgs } from 'node:util';
import { Seeded } from '../test/seeded.ts';
import { NoRoot } from './deploy/debian.ts';
import { DRILLS as PROMISES } from './report/promises.ts';

interface DrillOptions {
  /** A commit to start from. */
  readonly from?: string | undefined;
  /** `bare`, or the name of a proxy. */
  readonly through?: string | undefined;
  /** Only rows whose name contains it. */
  readonly only?: string | undefined;
  readonly processes?: number | undefined;
}

/** Returns how many promises were broken. */
type Drill = (cycles: number, chance: Seeded, options: DrillOptions) => Promise<number>;
type Listed<Run> = Readonly<Record<string, readonly [load: () => Promise<Run>, what: string, cycles?: number]>>;

/** What injects faults and checks that a promise holds; the third: `--cycles` if it is not 20. */
const DRILLS: Listed<Drill> = {
  kill: [
    async () => (await import('./chaos/kill.ts')).killMany,
    'kills a writing process and checks the store it leaves; then restarts after 1 to 60 s, on both stores',
  ],
  files: [
    async () => (await import('./chaos/files.ts')).damageFiles,
    'deletes, truncates and replaces store files under a running service',
  ],
  sync: [
    async () => (await import('./chaos/sync.ts')).failDisk,
    'makes syncs and writes fail (EIO, ENOSPC) under a running service; needs cc',
  ],
  'torn-writes': [
    async () => (await import('./chaos/torn-writes.ts')).tearWrites,
    'cuts the power: unsynced writes are lost, kept or torn, sector by sector; needs cc',
  ],
  clock: [
    async () => (await import('./chaos/clock.ts')).setClock,
    'sets the clock of a running service ahead and back; needs cc',
  ],
  race: [
    async () => (await import('./chaos/race.ts')).raceMany,
    'races refresh against revoke on two nodes with one SQLite',
  ],
  'postgres-race': [
    async () => {
      const { raceAcrossNodes } = await import('./chaos/postgres-race.ts');
      return (cycles) => raceAcrossNodes(cycles);
    },
    'races refresh against revoke on three nodes with one PostgreSQL',
  ],
  postgres: [
    async () => (await import('./chaos/standby.ts')).failoverToStandby,
    'kills the PostgreSQL primary under load and promotes its standby',
  ],
  patroni: [
    async () => (await import('./chaos/patroni.ts')).failoverByPatroni,
    'kills the primary of a Patroni cluster under load; root on Debian, or as postgres',
  ],
  failover: [
    async () => (await import('./chaos/lossy-failover.ts')).failoverWithLoss,
    'promotes an asynchronous standby that is 0.2, 0.6, 2 and 5 s behind, under load; --cycles for each',
    2,
  ],
  'postgres-move': [
    async () => (await import('./chaos/postgres-move.ts')).moveUnderLoad,
    'moves a service under load from SQLite to PostgreSQL, in several runs',
    3,
  ],
  'postgres-rollback': [
    async () => (await import('./chaos/postgres-rollback.ts')).rollBack,
    'restores an older state of the database under three nodes',
    3,
  ],
  stop: [
    async () => (await import('./chaos/stop.ts')).stopMany,
    'stops a service with good, bad and idle callers and checks how it ended',
  ],
  'directory-outage': [
    async () => (await import('./chaos/directory-outage.ts')).directoryOutage,
    'takes an LDAP directory away for an hour, under load, at 60 times the speed; needs slapd; ignores --cycles',
  ],
  lockout: [
    async () => (await import('./chaos/lockout.ts')).lockOut,
    'unauthenticated clients fail to sign in on purpose; their targets must not be locked out; ignores --cycles',
  ],
  retries: [
    async () => (await import('./chaos/retries.ts')).retryMany,
    'retries refreshes of JWTs while resource servers and keys change',
    1000,
  ],
  siblings: [
    async () => (await import('./chaos/siblings.ts')).liveAsSiblings,
    '200 programs share a login by nothing, for --cycles simulated hours, on both stores and beside oidc-provider',
    8,
  ],
  'signing-keys': [
    async () => (await import('./chaos/signing-keys.ts')).rotateUnderLoad,
    'rotates signing keys for days of simulated time, under verifiers',
    10,
  ],
  'postgres-signing-keys': [
    async () => (await import('./chaos/postgres-signing-keys.ts')).rotateOnTwoNodes,
    'rotates signing keys for days of simulated time while two services on one PostgreSQL serve',
    4,
  ],
  handover: [
    async () => (await import('./chaos/handover/handover.ts')).handOver,
    'a new process takes over the port from the old one under load (SQLite); --from COMMIT',
    3,
  ],
  rolling: [
    async () => (await import('./chaos/handover/rolling.ts')).rollOut,
    'replaces three nodes on PostgreSQL one by one under load, and back; --from COMMIT',
    2,
  ],
  mixed: [
    async () => (await import('./chaos/handover/mixed.ts')).mixReleases,
    'a node of the last release beside this one: what this one wrote survives; --from COMMIT; ignores --cycles',
  ],
  restore: [
    async () => (await import('./chaos/restore/point-in-time.ts')).restoreToMoments,
    'kills writers and a continuous backup, and restores to random moments',
    3,
  ],
  'token-file': [
    async () => (await import('./chaos/token-file.ts')).shareTokenFile,
    '50 processes (--processes) share a token file: expiries, kill -9, a full disk, restarts; needs cc',
    12,
  ],
  feed: [
    async () => (await import('./chaos/feed/feed.ts')).followFeed,
    'times revocations at 100 followers, cuts their streams (--cycles), fails the store over',
    1000,
  ],
  'feed-fresh': [
    async () => (await import('./chaos/feed/feed.ts')).staysFresh,
    'ends grants while streams are cut, behind backlogs, in a burst, a restart, a failover and a rollback; ignores --cycles',
  ],
  revocation: [
    async () => (await import('./chaos/revocation.ts')).revocationUnderAttack,
    'times a good caller while CRL and OCSP servers misbehave; ignores --cycles',
  ],
  http2: [
    async () => (await import('./chaos/http2.ts')).attackOverHttp2,
    'unauthenticated clients hold HTTP/2 streams and flood the service with frames made by hand; ignores --cycles',
  ],
  crowds: [
    async () => (await import('./chaos/crowds/crowds.ts')).faceCrowds,
    'honest crowds, and more load than can be served, at default limits, bare and behind proxies (--through NAME); --only ROW',
  ],
  siege: [
    async () => (await import('./chaos/sieges/besiege.ts')).besiege,
    'every attack beside honest callers, at default limits; --through NAME; --only ROW',
  ],
};

/** Programs with arguments of their own. A number is an exit code. */
type Program = (args: readonly string[]) => Promise<unknown>;

const PROGRAMS: Listed<Program> = {
  agents: [
    async () => (await import('./agents/main.ts')).tryAgents,
    'shapes of documents that agents have, from the page to a refreshed token (docs/agents.md)',
  ],
  sim: [
    async () => (await import('./sim.ts')).simulate,
    'random histories against a small model; --seeds 1000 --seed 1; with --seed alone: that one',
  ],
  fuzz: [
    async () => (await import('./fuzz.ts')).fuzz,
    'mutated certificate chains, judged by us, by OpenSSL and by GnuTLS; --mutations 5000 --first 1 --processes 1',
  ],
  rooms: [
    async () => (await import('./deploy/rooms.ts')).inRooms,
    'runs the commands of the README in minimal Debian systems; --short or trixie-20-guest: in some, --tests: npm test as well',
  ],
  systemd: [
    async () => (await import('./deploy/systemd.ts')).underSystemd,
    'boots Debian in a container with systemd and runs the commands of docs/systemd.md',
  ],
  upgrading: [
    async () => (await import('./deploy/upgrading.ts')).throughUpgrades,
    'runs the commands of docs/upgrading.md there: from the last release to this one, to one with another schema, and back',
  ],
  container: [
    async () => (await import('./deploy/container.ts')).inContainer,
    'builds the image without a registry and runs the commands of docs/container.md',
  ],
  compose: [
    async () => (await import('./deploy/compose.ts')).asComposed,
    'runs PostgreSQL, two nodes of the image and Caddy as compose.yaml describes them, without an engine',
  ],
  'active-directory': [
    async () => (await import('./deploy/active-directory.ts')).onActiveDirectory,
    'provisions a domain by Samba on loopback and shows what is seen of it; needs the ports 389 and 636',
  ],
  keycloak: [
    async () => (await import('./deploy/keycloak.ts')).withKeycloak,
    'signs in at Keycloak in a browser, with the settings of docs/directories.md; needs Java 17 and Chromium',
  ],
  guard: [
    async () => (await import('./deploy/guard.ts')).behindProxies,
    'runs the recipes of docs/guard.md with the proxies, times revocations, and kills service, guard and proxy for ten minutes',
  ],
  scim: [
    async () => (await import('./deploy/scim.ts')).withScimTester,
    'runs scim2-tester, an independent client, against the scim door; needs Python',
  ],
  x509: [
    async () => (await import('./conformance/x509.ts')).runX509,
    'the x509-limbo cases of a folder, by dry run and as TLS handshakes; FOLDER',
  ],
  honest: [
    async () => (await import('./conformance/honest.ts')).runHonest,
    'unusual chains made by openssl: what it accepts, we accept',
  ],
  libraries: [
    async () => (await import('./conformance/libraries.ts')).runLibraries,
    'OAuth libraries of Python, Go and Java, unmodified: keys, secrets, exchange, authorization codes; all, or those named',
  ],
  'postgres-release': [
    async () => (await import('./conformance/postgres.ts')).runPostgres,
    'the store suite and races on a release of PostgreSQL; --server /usr/lib/postgresql/15 --races 500',
  ],
  bench: [
    async () => (await import('./bench/main.ts')).runBench,
    'every operation beside an echo and a bare refresh: docs/performance.md; --help',
  ],
  peers: [
    async () => (await import('./peers/main.ts')).runPeers,
    'Tessera beside Hydra, Keycloak and oidc-provider under the same load, in turns; --help',
  ],
  verify: [
    async () => (await import('./bench/verify.ts')).raceVerifiers,
    'an API with @tessera/verify beside the same API without it, on each framework; --rounds 5 --seconds 0.5',
  ],
  demo: [
    async () => (await import('./demo/main.ts')).demonstrate,
    'clients refresh through a proxy that loses answers, with Tessera and oidc-provider; --help',
  ],
  oracles: [
    async () => (await import('./oracles.ts')).countOrigins,
    'where what the tests expect comes from; --code: every assertion that expects what the code under test computes',
  ],
  pages: [
    async () => (await import('./figures/pages.ts')).writePages,
    'makes the parts of docs that state figures again, from the data in the folder figures',
  ],
  pictures: [
    async () => (await import('./pictures/main.ts')).draw,
    'the pages, or the console and its picture in docs, in a browser, as PNG in out/pictures; pages|console [PAGE …]',
  ],
};

const USAGE = `npm run lab -- [--long] [--only DRILL,…] [--seed 1]
  one report of all promises (docs/reliability.md), in half an hour; --long: for nights
  --self-test: breaks one line of the code for each drill that is marked, which must notice it

npm run lab -- NAME [--cycles 20] [--seed 1]`;

const [name = '', ...args] = process.argv.slice(2);
process.exitCode = await run();

async function run(): Promise<number> {
  if (name === '' || (name.startsWith('--') && name !== '--help'))
    return (await import('./report/report.ts')).reportAll(process.argv.slice(2));
  const [drill, , cycles] = DRILLS[name] ?? [];
  if (drill) return (await runDrill(await drill(), cycles)) > 0 ? 1 : 0;
  const [program] = PROGRAMS[name] ?? [];
  if (program) {
    const code = await (await program())(args).catch(skipWithoutRoot);
    return typeof code === 'number' ? code : Number(process.exitCode ?? 0);
  }
  list();
  return name === '--help' ? 0 : 1;
}

function runDrill(drill: Drill, cycles = 20): Promise<number> {
  const { values } = parseArgs({
    args,
    options: {
      cycles: { type: 'string', default: String(cycles) },
      seed: { type: 'string', default: '1' },
      from: { type: 'string' },
      through: { type: 'string' },
      only: { type: 'string' },
      processes: { type: 'string' },
    },
  });
  const processes = values.processes === undefined ? undefined : Number(values.processes);
  return drill(Number(values.cycles), new Seeded(Number(values.seed)), { ...values, processes });
}

function skipWithoutRoot(fault: Error): number {
  if (!(fault instanceof NoRoot)) throw fault;
  console.log(`SKIPPED: ${fault.message}`);
  return 0;
}

/** `*`: it has a self-test. */
function list(): void {
  const tested = new Set(PROMISES.map(({ short }) => short.split(' ')[0]));
  console.log(USAGE);
  for (const [title, listed] of Object.entries({ Drills: DRILLS, Programs: PROGRAMS })) {
    console.log(`\n${title}; *: with a self-test`);
    for (const [each, [, what]] of Object.entries(listed))
      console.log(`${tested.has(each) ? '*' : ' '} ${each.padEnd(22)} ${what}`);
  }
}
