import { parseArgs } from 'node:util';
import type { Pace } from './race.ts';

export interface Options {
  readonly quick: boolean;
  /** The suites to run, or the loads to compare; if empty, all suites, or refreshes. */
  readonly only: readonly string[];
  readonly profile: string | undefined;
  /** Folders or commits of this project, separated by commas. */
  readonly against: string | undefined;
  /** Of each checkout. */
  readonly turns: number;
  readonly pace: Pace;
  /** How often a server is started to measure its start time. */
  readonly starts: number;
  /** Grants in the store of the suite `spread`. */
  readonly many: number;
  /** Grants that the revoke and mixed loads may use up. */
  readonly toRevoke: number;
}

const USAGE = `npm run lab -- bench [--quick] [--only SUITE,…] [--profile LOAD] [--against COMMIT,…]

  --quick             about two minutes rather than ten: shorter slices, one round, 100,000 grants instead of 1,000,000
  --only refresh      only these suites, separated by commas
  --profile refresh   drives Tessera alone with one load and leaves a CPU profile in out
  --against COMMIT,…  these commits, folders or the last \`release\` and this checkout in one process, in turns of milliseconds
                      and both orders, which shows differences of two percent; --only takes loads then; --rounds N: turns
                      of each
  --seconds N         seconds of one slice; --rounds N: rounds, of two slices each`;

/** Undefined: the help was asked for. */
export function readOptions(args: readonly string[]): Options | undefined {
  const { values } = parseArgs({
    args: [...args],
    options: {
      quick: { type: 'boolean', default: false },
      only: { type: 'string', default: '' },
      profile: { type: 'string' },
      against: { type: 'string' },
      seconds: { type: 'string' },
      rounds: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  });
  const { quick, only, profile, against, help } = values;
  if (help) {
    console.log(USAGE);
    return undefined;
  }
  return {
    ...{ quick, profile, against },
    only: only.split(',').filter(Boolean),
    turns: Number(values.rounds ?? 600),
    starts: quick ? 3 : 11,
    many: quick ? 100_000 : 1_000_000,
    toRevoke: quick ? 100_000 : 600_000,
    pace: {
      // Many short slices: a disturbance lasts seconds and affects only a few of them.
      rounds: Number(values.rounds ?? (quick ? 1 : 8)),
      seconds: Number(values.seconds ?? (quick ? 1 : 0.8)),
      warmUpSeconds: 0.2,
      coldSeconds: 1,
      coldRequests: quick ? 10_000 : 100_000,
      connections: 64,
    },
  };
}
