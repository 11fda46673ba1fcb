// npm run chaos -- kill --cycles N [--seed S]: kills a writing process N times and looks at what it left.
// npm run chaos -- race --cycles N [--seed S]: lets refresh and revoke race N times.
// npm run chaos -- postgres --cycles N [--seed S]: kills the primary of three nodes N times, and promotes its standby.
import { parseArgs } from 'node:util';
import { Seeded } from '../test/seeded.ts';
import { killMany } from './chaos/kill-many.ts';
import { failoverMany } from './chaos/postgres-many.ts';
import { raceMany } from './chaos/race-many.ts';

const DRILLS = { kill: killMany, race: raceMany, postgres: failoverMany };
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { cycles: { type: 'string', default: '20' }, seed: { type: 'string', default: '1' } },
});
const drill = DRILLS[positionals[0] as keyof typeof DRILLS];
if (!drill) throw new Error(`usage: npm run chaos -- ${Object.keys(DRILLS).join('|')} --cycles N`);
const broken = await drill(Number(values.cycles), new Seeded(Number(values.seed)));
process.exitCode = broken > 0 ? 1 : 0;
