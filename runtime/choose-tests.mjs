// Which test files `npm test` runs, and which it leaves out and why.
import { globSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** A module that runs a program of Debian says so: `// Needs: nginx`. */
const MARK = /^\/\/ Needs: (.+)$/gm;
const IMPORT = /^(?:import|export) [^;]*?from '(\.[^']+\.ts)';$/gms;

/** The Debian packages that a file needs, by itself or by what it imports from test/ and lab/. */
export function needsOf(root, file) {
  const names = textsOf(root, file).flatMap((text) => [...text.matchAll(MARK)].flatMap(([, list]) => list.split(', ')));
  return [...new Set(names)];
}

const read = new Map();

/** The text of a file, and of what it imports from test/ and lab/. */
export function textsOf(root, file, seen = new Set()) {
  if (seen.has(file)) return [];
  seen.add(file);
  const path = join(root, file);
  if (!read.has(path)) read.set(path, readModule(path, file));
  const { text, imported } = read.get(path);
  return [text, ...imported.flatMap((each) => textsOf(root, each, seen))];
}

function readModule(path, file) {
  const text = readFileSync(path, 'utf8');
  const imported = [...text.matchAll(IMPORT)]
    .map(([, found]) => join(dirname(file), found))
    .filter((found) => !found.startsWith('src/'));
  return { text, imported };
}

/** `missing`: packages that are not installed. A file that needs one is left out. */
export function leaveOutNeeding(root, files, missing) {
  const reasonFor = (file) => needsOf(root, file).filter((name) => missing.includes(name));
  const leftOut = files.map((file) => ({ file, lacks: reasonFor(file) })).filter(({ lacks }) => lacks.length > 0);
  const names = new Set(leftOut.map(({ file }) => file));
  return { files: files.filter((file) => !names.has(file)), leftOut };
}

/** A test file that `npm test` leaves to `npm run test:all` says why, in one of these words: `// Only in test:all: drill`. */
const LONG = /^\/\/ Only in test:all: (.+)$/m;

/** `files` of which none says so, and the others by their reason. */
export function leaveOutLong(root, files) {
  const leftOut = Map.groupBy(files, (file) => LONG.exec(readFileSync(join(root, file), 'utf8'))?.[1]);
  const short = leftOut.get(undefined) ?? [];
  leftOut.delete(undefined);
  return { short, leftOut };
}

/** `shard` such as `1/3`: the first of three parts, which take about the same time if `files` begins with the longest. */
export function shardOf(files, shard) {
  const [, number, count] = /^(\d+)\/(\d+)$/.exec(shard) ?? [];
  if (!(Number(number) >= 1 && Number(number) <= Number(count))) return undefined;
  return files.filter((_, at) => at % Number(count) === Number(number) - 1);
}

export function allTests(root) {
  return globSync('test/**/*.test.ts', { cwd: root }).sort();
}

/** The test files of a name: a file, a folder or a pattern. */
export function testsNamed(root, name) {
  const isFolder = statSync(join(root, name), { throwIfNoEntry: false })?.isDirectory();
  return globSync(isFolder ? `${name}/**/*.test.ts` : name, { cwd: root }).sort();
}

/** The files that take longest, in this order, so that none of them is left for the end. */
export const LONGEST = [
  'test/e2e/proxied-nodes.test.ts',
  'test/nodes/restored-acts.test.ts',
  'test/deploy/shipped.test.ts',
  'test/nodes/signing-key-rollout.test.ts',
  'test/e2e/workers-killed.test.ts',
  'test/store/sqlite-continuous.test.ts',
  'test/doors/pages/accessibility.test.ts',
  'test/store/postgres-settings.test.ts',
  'test/lab/feed.test.ts',
  'test/doors/console/in-browser.test.ts',
  'test/sdk/verify/restarts.test.ts',
  'test/pki/corpus/corpus.test.ts',
  'test/e2e/admin-record-postgres.test.ts',
  'test/e2e/restored-acts.test.ts',
  'test/sdk/client/service-away.test.ts',
  'test/sdk/client/package.test.ts',
  'test/e2e/package.test.ts',
  'test/e2e/proxies.test.ts',
  'test/e2e/exactly-once-killed.test.ts',
  'test/store/postgres-killed-migration.test.ts',
  'test/e2e/bad-input.test.ts',
  'test/e2e/documented-agents.test.ts',
  'test/e2e/mcp.test.ts',
  'test/doors/pages/phone-in-browser.test.ts',
  'test/sdk/verify/package.test.ts',
  'test/cli/quickstart.test.ts',
  'test/sdk/verify/service-away.test.ts',
  'test/cli/keyring-at-once.test.ts',
  'test/cli/completion.test.ts',
  'test/nodes/failover.test.ts',
  'test/doors/pages/decisions-in-browser.test.ts',
  'test/e2e/restored-signing-keys.test.ts',
  'test/cli/full-disk.test.ts',
  'test/house/chosen-tests.test.ts',
  'test/examples/examples.test.ts',
  'test/house/test-folder.test.ts',
  'test/lab/stop.test.ts',
  'test/lab/demo.test.ts',
  'test/lab/jwt.test.ts',
  'test/lab/token-file.test.ts',
  'test/lab/fuzz.test.ts',
  'test/lab/lockout.test.ts',
  'test/e2e/readme.test.ts',
  'test/e2e/tracing.test.ts',
  'test/nodes/list-services.test.ts',
  'test/nodes/documented-postgres.test.ts',
  'test/cli/transcripts-at-service.test.ts',
  'test/deploy/promtool.test.ts',
  'test/e2e/worker-metrics.test.ts',
  'test/store/postgres-move.test.ts',
  'test/e2e/documented-libraries.test.ts',
  'test/doors/pages/docs-in-browser.test.ts',
  'test/doors/pages/account-in-browser.test.ts',
  'test/cli/transcripts.test.ts',
  'test/e2e/limits.test.ts',
  'test/store/postgres.test.ts',
  'test/doors/pages/device-in-browser.test.ts',
  'test/doors/pages/sign-in.test.ts',
  'test/e2e/tls.test.ts',
  'test/sdk/client/cli.test.ts',
  'test/e2e/platform-keys.test.ts',
  'test/store/sqlite.test.ts',
  'test/nodes/service.test.ts',
  'test/sdk/verify/verifier.test.ts',
  'test/directory/oidc/life.test.ts',
  'test/e2e/stopping.test.ts',
  'test/e2e/workloads.test.ts',
  'test/e2e/trouble.test.ts',
  'test/e2e/admin-permissions.test.ts',
  'test/cli/remote.test.ts',
  'test/directory/ldap/configured.test.ts',
  'test/directory/oidc/sign-in.test.ts',
  'test/sdk/client/service.test.ts',
  'test/sdk/verify/fresh.test.ts',
  'test/cli/objects.test.ts',
  'test/e2e/admin-door.test.ts',
];

export function longestFirst(files) {
  const rank = (file) => (LONGEST.includes(file) ? LONGEST.indexOf(file) : LONGEST.length);
  return files.toSorted((a, b) => rank(a) - rank(b));
}
