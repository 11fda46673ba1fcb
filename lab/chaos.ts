// npm run chaos -- DRILL --cycles N [--seed S]: breaks things many times, and looks whether a promise was broken with them.
import { parseArgs } from 'node:util';
import { Seeded } from '../test/seeded.ts';
import { setClock } from './chaos/clock.ts';
import { failoverByPatroni, failoverToStandby } from './chaos/failover-many.ts';
import { damageFiles } from './chaos/files.ts';
import { attackOverHttp2 } from './chaos/http2.ts';
import { killMany } from './chaos/kill-many.ts';
import { lockOut } from './chaos/lockout.ts';
import { attackWithLoad } from './chaos/overload/overload.ts';
import { attackPlaces } from './chaos/places.ts';
import { takeConnections } from './chaos/postgres-connections.ts';
import { freezeServer } from './chaos/postgres-frozen.ts';
import { rollOutKeys } from './chaos/postgres-keys.ts';
import { lockRows } from './chaos/postgres-lock.ts';
import { freezeLog } from './chaos/postgres-log.ts';
import { moveUnderLoad } from './chaos/postgres-move.ts';
import { raceAcrossNodes } from './chaos/postgres-race.ts';
import { rollBack } from './chaos/postgres-rollback.ts';
import { raceMany } from './chaos/race-many.ts';
import { revocationUnderAttack } from './chaos/revocation.ts';
import { stopMany } from './chaos/stop.ts';
import { failDisk } from './chaos/sync.ts';

const DRILLS = {
  kill: [killMany, 'kills a writing process, and looks at what it left'],
  files: [damageFiles, 'deletes, cuts and replaces the files of a store under a service at work'],
  sync: [failDisk, 'lets syncs and writes fail under a service at work (EIO, ENOSPC); needs cc'],
  clock: [setClock, 'sets the clock of a service at work ahead and back; needs cc'],
  race: [raceMany, 'lets refresh and revoke race, at two nodes on one SQLite'],
  'postgres-race': [raceAcrossNodes, 'the same, at three nodes on one PostgreSQL'],
  postgres: [failoverToStandby, 'kills the primary under three nodes and a service, and promotes its standby'],
  revocation: [revocationUnderAttack, 'a good caller while list and OCSP servers misbehave; takes no cycles'],
  'postgres-lock': [lockRows, 'holds a lock on one row, and times the refreshes of everybody else'],
  'postgres-frozen': [
    freezeServer,
    'freezes the server until callers are told 503, wakes it, and looks for late commits',
  ],
  'postgres-connections': [takeConnections, 'takes every connection the server has left while a node is busy'],
  'postgres-keys': [rollOutKeys, 'rolls out keys over three nodes, minting before every node has them', 3],
  'postgres-move': [moveUnderLoad, 'moves a service under load from SQLite to PostgreSQL, in several runs', 3],
  'postgres-rollback': [rollBack, 'puts the database back to an older state under three nodes', 3],
  'postgres-log': [freezeLog, 'holds the advisory locks of the event log as a stranger', 100],
  stop: [stopMany, 'stops a service among good, bad and idle callers, and looks how it ended'],
  lockout: [lockOut, 'strangers fail to sign in on purpose; the people they aim at must not notice'],
  patroni: [failoverByPatroni, 'the same, with Patroni and etcd doing the rest; root on Debian, or as postgres'],
  places: [attackPlaces, 'strangers take places by CONNECT, Upgrade and pipelines, and try to keep them'],
  http2: [attackOverHttp2, 'strangers hold streams: windows of 0, bodies that never come, HEAD, resets'],
  overload: [attackWithLoad, 'more load than the service can take, and floods of handshakes'],
} as const satisfies Record<string, Drill>;

/** The third: how many cycles, where that is not 20. */
type Drill = readonly [(cycles: number, chance: Seeded) => Promise<number>, what: string, cycles?: number];

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    cycles: { type: 'string' },
    seed: { type: 'string', default: '1' },
    help: { type: 'boolean', default: false },
  },
});
const [drill, , cycles = 20]: Partial<Drill> = DRILLS[positionals[0] as keyof typeof DRILLS] ?? [];
if (drill && !values.help) {
  const broken = await drill(Number(values.cycles ?? cycles), new Seeded(Number(values.seed)));
  process.exitCode = broken > 0 ? 1 : 0;
} else {
  console.log('npm run chaos -- DRILL [--cycles 20] [--seed 1]\n');
  for (const [name, [, what]] of Object.entries(DRILLS)) console.log(`  ${name.padEnd(20)} ${what}`);
  process.exitCode = values.help ? 0 : 1;
}
