import { parseArgs } from 'node:util';
import type { Pace } from './race.ts';

export interface Options {
  readonly quick: boolean;
  /** The suites to run; if empty, all. */
  readonly only: readonly string[];
  readonly profile: string | undefined;
  /** Another checkout of this project, to race with. */
  readonly against: string | undefined;
  /** With `against`, which may list several: all in one process, with so many turns of each. */
  readonly inProcess: { readonly turns: number } | undefined;
  /** How often both checkouts are started for that. */
  readonly restarts: number;
  /** Where the reports go. */
  readonly out: string;
  readonly pace: Pace;
  /** How often each server is started to measure its start time. */
  readonly starts: number;
  /** Grants in the store of the suite `million`. */
  readonly many: number;
  /** Grants that the revoke and mixed loads may use up. */
  readonly toRevoke: number;
}

export const USAGE = `npm run bench -- [--quick] [--only SUITE,…] [--profile LOAD] [--out FOLDER]
  --quick           about two minutes rather than ten: shorter slices, one round, 100,000 grants instead of 1,000,000
  --only refresh    only these suites, separated by commas; starts: how long a start takes
  --profile refresh drive Tessera alone with one load and leave a CPU profile
  --against FOLDER  this checkout and another one in turns, under every load; --only takes loads then; --restarts N: with N
                    processes of each
  --in-process      with --against FOLDER,…: all in one process, in turns of milliseconds, which shows differences of two
                    percent; --rounds N: turns of each
  --out FOLDER      where bench.json, bench.md and bench.svg go (out/bench)
  --seconds N       seconds of one slice; --rounds N: rounds, of two slices each`;

export function readOptions(args: string[]): Options {
  const { values } = parseArgs({
    args,
    options: {
      quick: { type: 'boolean', default: false },
      only: { type: 'string', default: '' },
      profile: { type: 'string' },
      against: { type: 'string' },
      'in-process': { type: 'boolean', default: false },
      restarts: { type: 'string', default: '1' },
      out: { type: 'string', default: 'out/bench' },
      seconds: { type: 'string' },
      rounds: { type: 'string' },
    },
  });
  const { quick, only, profile, against, out } = values;
  return {
    quick,
    only: only.split(',').filter(Boolean),
    profile,
    against,
    inProcess: values['in-process'] ? { turns: Number(values.rounds ?? 600) } : undefined,
    restarts: Number(values.restarts),
    out,
    starts: quick ? 3 : 11,
    many: quick ? 100_000 : 1_000_000,
    toRevoke: quick ? 100_000 : 600_000,
    pace: {
      // Many short slices: a disturbance lasts seconds and affects only a few of them.
      rounds: Number(values.rounds ?? (quick ? 1 : 8)),
      seconds: Number(values.seconds ?? (quick ? 1 : 0.8)),
      warmUpSeconds: 0.2,
      coldSeconds: quick ? 1 : 3,
      connections: 64,
    },
  };
}
