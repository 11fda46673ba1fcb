// The promises of the service, each with the drill that tries to break it, and a change of the code that this drill must notice.

export interface Drill {
  readonly promise: string;
  /** The arguments of `npm run lab`: how it is run in the short form, and with `--long`. */
  readonly short: string;
  readonly long: string;
  /** In minutes, for the short form. A drill that takes longer is stopped and shows nothing. */
  readonly limit: number;
  /** Only with `--long`. */
  readonly isLongOnly?: boolean;
  /** `from` is in one file of the code, once; `run`: if less than the short form suffices to notice it. */
  readonly mutation: { readonly from: string; readonly to: string; readonly run?: string };
}

/** Drills that take no seed. */
export const WITHOUT_CHANCE: readonly string[] = ['sim', 'fuzz', 'rooms', 'systemd', 'upgrading'];

const AFTER_REVOKE = { from: "if (state === 'revoked') return no('grant-revoked');", to: '' };

const CUT_AT_STOP = {
  from: 'setTimeout(() => connections.destroyAll(), limits.stopTimeoutMs)',
  to: 'setTimeout(() => connections.destroyAll(), 0)',
};
const BLIND_TO_ROLLBACK = { from: 'if (isSign || lost.length > 0) {', to: 'if (false) {' };

export const DRILLS: readonly Drill[] = [
  {
    promise: 'Nothing acknowledged is lost, and nothing spent works again, after kill -9',
    short: 'kill --cycles 3',
    long: 'kill --cycles 200',
    limit: 3,
    mutation: {
      from: "this.#run('COMMIT');",
      to: "this.#run(Math.random() < 0.1 ? 'ROLLBACK' : 'COMMIT');",
      run: 'kill --cycles 5',
    },
  },
  {
    promise: 'Nothing acknowledged is lost in a power cut',
    short: 'torn-writes --cycles 30',
    long: 'torn-writes --cycles 1000',
    limit: 1,
    mutation: { from: 'await sync(files.wal);', to: '' },
  },
  {
    promise: 'A disk that fails or is full: nothing acknowledged is lost',
    short: 'sync --cycles 4',
    long: 'sync --cycles 100',
    limit: 2,
    mutation: { from: 'if (!soundness.recovers(why)) throw new CommitUnknown(why);', to: '' },
  },
  {
    promise: 'The same with store files that are deleted or replaced',
    short: 'files --cycles 6',
    long: 'files --cycles 6',
    limit: 2,
    mutation: {
      from: 'this.#note(this.#files.whyNotOurs());\n    this.#refuseDamage();',
      to: '',
    },
  },
  {
    promise: 'A wrong clock issues, ends and sweeps nothing',
    short: 'clock --cycles 3',
    long: 'clock --cycles 3',
    limit: 1,
    mutation: { from: 'if (fault) throw fault;', to: '' },
  },
  {
    promise: 'After a revocation is acknowledged, no token works: two processes on SQLite',
    short: 'race --cycles 1000',
    long: 'race --cycles 100000',
    limit: 1,
    mutation: { ...AFTER_REVOKE, run: 'race --cycles 50' },
  },
  {
    promise: 'The same with three nodes on PostgreSQL',
    short: 'postgres-race --cycles 300',
    long: 'postgres-race --cycles 20000',
    limit: 2,
    mutation: { ...AFTER_REVOKE, run: 'postgres-race --cycles 20' },
  },
  {
    promise: 'Random histories give the answers of a small model',
    short: 'sim --seeds 500',
    long: 'sim --seeds 100000',
    limit: 2,
    mutation: {
      from: "if (state === 'expired') return no('grant-expired');",
      to: '',
      run: 'sim --seeds 200',
    },
  },
  {
    promise: 'A retried refresh gets the same pair, whatever changes in between',
    short: 'retries --cycles 300',
    long: 'retries --cycles 20000',
    limit: 1,
    mutation: {
      from: 'return decideSpent(standing, grant, settings, facts);',
      to: 'return rotation(grant, settings, facts);',
      run: 'retries --cycles 10',
    },
  },
  {
    promise: '200 programs that share a login by nothing stay signed in, with one pair',
    short: 'siblings --cycles 8',
    long: 'siblings --cycles 168',
    limit: 1,
    isLongOnly: true,
    mutation: {
      from: 'const isInWindow = isWithinWindow(window, supersededAt(generation, grant), grant, facts);',
      to: 'const isInWindow = false;',
    },
  },
  {
    promise: 'Verifiers that cache keys accept every living JWT while keys are rotated',
    short: 'signing-keys --cycles 10',
    long: 'signing-keys --cycles 200',
    limit: 1,
    mutation: {
      from: "return now < after(since, publishedFor) ? 'published-too-recently' : undefined;",
      to: 'return undefined;',
    },
  },
  {
    promise: 'A stop loses no request, and ends in time',
    short: 'stop --cycles 10',
    long: 'stop --cycles 300',
    limit: 1,
    mutation: {
      from: 'const closeIdle = () => {',
      to: "const closeIdle = () => {\n    if (server.listening === false) throw new Error('a fault');",
      run: 'stop --cycles 2',
    },
  },
  {
    promise: 'A new process takes over the port without losing a request',
    short: 'handover --cycles 2',
    long: 'handover --cycles 12',
    limit: 1,
    mutation: CUT_AT_STOP,
  },
  {
    promise: 'The same when nodes on PostgreSQL are replaced one by one',
    short: 'rolling --cycles 1',
    long: 'rolling --cycles 6',
    limit: 1,
    mutation: CUT_AT_STOP,
  },
  {
    promise: 'A service moves from SQLite to PostgreSQL under load, losing nothing',
    short: 'postgres-move --cycles 1',
    long: 'postgres-move --cycles 10',
    limit: 1,
    mutation: { from: "if (is === 'same') continue;", to: "if (is !== 'missing') continue;" },
  },
  {
    promise: 'A database that was put back is noticed by every node, and what had ended ends again',
    short: 'postgres-rollback --cycles 1',
    long: 'postgres-rollback --cycles 20',
    limit: 1,
    mutation: BLIND_TO_ROLLBACK,
  },
  {
    promise: 'The same when an asynchronous standby takes over that lacks commits',
    short: 'failover --cycles 1',
    long: 'failover --cycles 4',
    limit: 0,
    isLongOnly: true,
    mutation: BLIND_TO_ROLLBACK,
  },
  {
    promise: 'Strangers who fail to sign in lock nobody out, and gain no guess',
    short: 'lockout',
    long: 'lockout',
    limit: 1,
    mutation: { from: 'most: perName, within, delays: true }', to: 'most: 2 * perName, within, delays: true }' },
  },
  {
    promise: 'Certificates are judged as OpenSSL and GnuTLS judge them',
    short: 'fuzz --mutations 1000',
    long: 'fuzz --mutations 200000',
    limit: 2,
    mutation: {
      from: 'holds: ({ certificate, now }) => now <= certificate.notAfter,',
      to: 'holds: () => true,',
    },
  },
  {
    promise: 'Nothing acknowledged is lost when the primary of PostgreSQL is killed',
    short: 'postgres --cycles 2',
    long: 'postgres --cycles 50',
    limit: 2,
    mutation: { ...AFTER_REVOKE, run: 'postgres --cycles 1' },
  },
  {
    promise: 'A continuous backup restores every moment',
    short: 'restore --cycles 1',
    long: 'restore --cycles 30',
    limit: 2,
    mutation: {
      from: 'const moment = at ?? Number.POSITIVE_INFINITY;',
      to: 'const moment = (at ?? Number.POSITIVE_INFINITY) - 400;',
    },
  },
  {
    promise: 'A directory that is away for an hour: nobody with a grant is refused, and ended accounts end afterwards',
    short: 'directory-outage',
    long: 'directory-outage',
    limit: 0,
    isLongOnly: true,
    mutation: { from: 'if (!isTrusted) throw new DirectoryAway(', to: 'throw new DirectoryAway(' },
  },
  {
    promise: 'Many processes share a token file without losing the grant',
    short: 'token-file --cycles 2 --processes 10',
    long: 'token-file --cycles 30',
    limit: 2,
    mutation: {
      from: 'replaceDurably(this.#file, this.#next, writeTokens(tokens));',
      to: '',
    },
  },
  {
    promise: 'A verifier that is fresh accepts no revoked token',
    short: 'feed-fresh',
    long: 'feed-fresh',
    limit: 0,
    isLongOnly: true,
    mutation: AFTER_REVOKE,
  },
  {
    promise: 'The commands of the README work in minimal Debian systems',
    short: 'rooms --short',
    long: 'rooms',
    limit: 0,
    isLongOnly: true,
    mutation: {
      from: '/Authorize/Certificate`,',
      to: '/Authorize/Certificates`,',
      run: 'rooms trixie-24-guest',
    },
  },
  {
    promise: 'The commands of the page about systemd work',
    short: 'systemd',
    long: 'systemd',
    limit: 0,
    isLongOnly: true,
    mutation: { from: 'Restart=on-failure', to: 'Restart=no' },
  },
  {
    promise: 'The commands of the page about upgrading work, twice forward and once back',
    short: 'upgrading',
    long: 'upgrading',
    limit: 0,
    isLongOnly: true,
    mutation: {
      from: 'const database = opening.use(openDatabase(path, alone));',
      to: 'const database = openDatabase(path, alone);',
    },
  },
];
