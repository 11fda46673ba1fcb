// npm run chaos -- DRILL --cycles N [--seed S] [--processes P]: injects faults many times and checks that every promise holds.
import { parseArgs } from 'node:util';
import { Seeded } from '../test/seeded.ts';
import { setClock } from './chaos/clock.ts';
import { faceCrowds } from './chaos/crowds/crowds.ts';
import { directoryOutage } from './chaos/directory-outage.ts';
import { failoverByPatroni, failoverToStandby } from './chaos/failover-many.ts';
import { followFeed, ignoreFeedOf, staysFresh } from './chaos/feed/feed.ts';
import { damageFiles } from './chaos/files.ts';
import { handOver } from './chaos/handover/handover.ts';
import { mixReleases } from './chaos/handover/mixed.ts';
import { rollOut } from './chaos/handover/rolling.ts';
import { attackOverHttp2 } from './chaos/http2.ts';
import { killMany } from './chaos/kill-many.ts';
import { killNode } from './chaos/killed-node.ts';
import { lockOut } from './chaos/lockout.ts';
import { failoverWithLoss } from './chaos/lossy-failover.ts';
import { floodMemory } from './chaos/memory.ts';
import { attackWithHandshakes } from './chaos/overload/handshakes.ts';
import { attackWithLoad } from './chaos/overload/overload.ts';
import { takeConnections } from './chaos/postgres-connections.ts';
import { freezeServer } from './chaos/postgres-frozen.ts';
import { rollOutKeys } from './chaos/postgres-keys.ts';
import { lockRows } from './chaos/postgres-lock.ts';
import { freezeLog } from './chaos/postgres-log.ts';
import { moveUnderLoad } from './chaos/postgres-move.ts';
import { raceAcrossNodes } from './chaos/postgres-race.ts';
import { rollBack } from './chaos/postgres-rollback.ts';
import { rotateOnTwoNodes } from './chaos/postgres-signing-keys.ts';
import { raceMany } from './chaos/race-many.ts';
import { restoreToMoments } from './chaos/restore/point-in-time.ts';
import { retryMany } from './chaos/retries.ts';
import { revocationUnderAttack } from './chaos/revocation.ts';
import { besiege } from './chaos/sieges/besiege.ts';
import { rotateUnderLoad } from './chaos/signing-keys.ts';
import { attackSlots } from './chaos/slots.ts';
import { stopMany } from './chaos/stop.ts';
import { failDisk } from './chaos/sync.ts';
import { shareTokenFile } from './chaos/token-file.ts';
import { tearWrites } from './chaos/torn-writes.ts';

const DRILLS = {
  kill: [
    killMany,
    'kills a writing process and checks the store it leaves; then restarts after 1 to 60 s, on both stores',
  ],
  files: [damageFiles, 'deletes, truncates and replaces store files under a running service'],
  sync: [failDisk, 'makes syncs and writes fail (EIO, ENOSPC) under a running service; needs cc'],
  'torn-writes': [tearWrites, 'cuts the power: unsynced writes are lost, kept or torn, sector by sector; needs cc'],
  clock: [setClock, 'sets the clock of a running service ahead and back; needs cc'],
  race: [raceMany, 'races refresh against revoke on two nodes with one SQLite'],
  'postgres-race': [
    (cycles: number) => raceAcrossNodes(cycles),
    'races refresh against revoke on three nodes with one PostgreSQL',
  ],
  postgres: [failoverToStandby, 'kills the PostgreSQL primary under load and promotes its standby'],
  failover: [
    (cycles: number) => failoverWithLoss(cycles),
    'promotes an asynchronous standby that is 0.2, 0.6, 2 and 5 s behind, under load; --cycles for each',
    2,
  ],
  revocation: [revocationUnderAttack, 'times a good caller while CRL and OCSP servers misbehave; ignores --cycles'],
  'postgres-lock': [lockRows, 'locks one row and times the refreshes of all other rows'],
  'postgres-killed-node': [killNode, 'kills one of two nodes under load, and times each part of its next start', 10],
  'postgres-frozen': [freezeServer, 'freezes the server until callers get 503, wakes it and checks for late commits'],
  'postgres-connections': [takeConnections, 'takes all free connections of the server while a node is busy'],
  'postgres-keys': [rollOutKeys, 'rolls out keys over three nodes, minting before every node has them', 3],
  'postgres-move': [moveUnderLoad, 'moves a service under load from SQLite to PostgreSQL, in several runs', 3],
  'postgres-rollback': [rollBack, 'restores an older state of the database under three nodes', 3],
  'postgres-log': [freezeLog, 'holds the advisory locks of the event log as another role', 100],
  stop: [stopMany, 'stops a service with good, bad and idle callers and checks how it ended'],
  'directory-outage': [
    () => directoryOutage(),
    'takes an LDAP directory away for an hour, under load, at 60 times the speed; needs slapd; ignores --cycles',
  ],
  lockout: [lockOut, 'strangers fail to sign in on purpose; their targets must not be locked out'],
  patroni: [failoverByPatroni, 'kills the primary of a Patroni cluster under load; root on Debian, or as postgres'],
  slots: [attackSlots, 'unauthenticated clients try to hold slots with CONNECT, Upgrade and pipelines'],
  http2: [
    attackOverHttp2,
    'strangers hold HTTP/2 streams and flood the service with frames made by hand; ignores --cycles',
  ],
  memory: [floodMemory, 'strangers fill many connections (--cycles) and go; the memory must come back', 1000],
  retries: [retryMany, 'retries refreshes of JWTs while resource servers and keys change', 1000],
  'signing-keys': [rotateUnderLoad, 'rotates signing keys for days of simulated time, under verifiers', 10],
  'postgres-signing-keys': [
    (cycles: number) => rotateOnTwoNodes(cycles),
    'rotates signing keys for days of simulated time while two services on one PostgreSQL serve',
    4,
  ],
  handover: [handOver, 'a new process takes over the port from the old one under load (SQLite); --from COMMIT', 3],
  restore: [restoreToMoments, 'kills writers and a continuous backup, and restores to random moments', 3],
  mixed: [
    mixReleases,
    'a node of the last release beside this one (PostgreSQL): what this one wrote survives; --from COMMIT; ignores --cycles',
  ],
  rolling: [rollOut, 'replaces three nodes on PostgreSQL one by one under load, and back; --from COMMIT', 2],
  'token-file': [
    (cycles: number, chance: Seeded, { processes }: DrillOptions) => shareTokenFile(cycles, chance, processes),
    '50 processes (--processes) share a token file: expiries, kill -9, a full disk, restarts; needs cc',
    12,
  ],
  feed: [
    followFeed,
    'feed-fresh; times revocations at 100 followers, cuts their streams (--cycles), fails the store over; then feed-deaf',
    1000,
  ],
  'feed-fresh': [
    () => staysFresh(),
    'ends grants while streams are cut, behind backlogs, in a burst, a restart, a failover and a rollback; ignores --cycles',
  ],
  'feed-deaf': [
    ignoreFeedOf,
    'followers of the revocation feed (--cycles) that do not read; times other requests',
    1000,
  ],
  overload: [attackWithLoad, 'sends more load than the service can take; ignores --cycles'],
  crowds: [
    (_: number, __: Seeded, options: DrillOptions) => faceCrowds(options),
    'honest crowds at default limits, bare and behind proxies (--through NAME); --only ROW; --against FOLDER; ignores --cycles',
  ],
  siege: [
    (_: number, __: Seeded, options: DrillOptions) => besiege(options),
    'every attack beside honest callers, at default limits; --through NAME; --only ROW; --against FOLDER; ignores --cycles',
  ],
  handshakes: [
    attackWithHandshakes,
    'floods the service with new TLS connections and half handshakes; ignores --cycles',
  ],
} as const satisfies Record<string, Drill>;

interface DrillOptions {
  readonly from?: string | undefined;
  /** Another checkout, which meets the same. */
  readonly against?: string | undefined;
  /** `bare`, or the name of a proxy. */
  readonly through?: string | undefined;
  /** Only rows whose name contains it. */
  readonly only?: string | undefined;
  readonly processes?: number | undefined;
}

/** The third: the default number of cycles, if not 20. */
type Drill = readonly [
  (cycles: number, chance: Seeded, options: DrillOptions) => Promise<number>,
  what: string,
  cycles?: number,
];

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    cycles: { type: 'string' },
    seed: { type: 'string', default: '1' },
    from: { type: 'string' },
    against: { type: 'string' },
    through: { type: 'string' },
    only: { type: 'string' },
    processes: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
});
const [drill, , cycles = 20]: Partial<Drill> = DRILLS[positionals[0] as keyof typeof DRILLS] ?? [];
if (drill && !values.help) {
  const processes = values.processes === undefined ? undefined : Number(values.processes);
  const chance = new Seeded(Number(values.seed));
  const broken = await drill(Number(values.cycles ?? cycles), chance, { ...values, processes });
  process.exitCode = broken > 0 ? 1 : 0;
} else {
  console.log('npm run chaos -- DRILL [--cycles 20] [--seed 1]\n');
  for (const [name, [, what]] of Object.entries(DRILLS)) console.log(`  ${name.padEnd(20)} ${what}`);
  process.exitCode = values.help ? 0 : 1;
}
