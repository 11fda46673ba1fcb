// Which Node runs the project. Must run on old Node versions, as launch.mjs.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join, relative } from 'node:path';
import { install } from './install.mjs';
import { installNeeds } from './needs.mjs';
import { say, stop } from './say.mjs';

const OLDEST_NODE = 24;
const PACKAGE = join('node_modules', `node-${process.platform}-${process.arch}`, 'bin', 'node');
const LIBATOMIC = 'libatomic.so.1';
const isNewEnough = Number(process.versions.node.split('.')[0]) >= OLDEST_NODE;

/** Whether there is a Node to start with; if not, installing the packages brings one. */
export function hasNode(root) {
  return isNewEnough || existsSync(join(root, PACKAGE));
}

/**
 * The machine's own Node if it is new enough, else the pinned one. Development tools prefer the pinned one, so that tests run on the
 * same Node everywhere. It needs libatomic, which minimal systems lack: tests and drills install it (`mayInstall`); otherwise an older Node
 * is used that does not need it.
 */
export async function chooseNode(root, { needsDev, mayInstall }) {
  if (isNewEnough && !needsDev) return process.execPath;
  const pinned = join(root, PACKAGE);
  if (mayInstall && whyNotStarted(pinned)?.includes(LIBATOMIC)) await installNeeds('pinned');
  const why = whyNotStarted(pinned);
  if (why === undefined) return pinned;
  if (isNewEnough) return process.execPath;
  if (!why.includes(LIBATOMIC)) return noNode(root, why);
  say(
    'the pinned Node 26 needs libatomic.so.1, which this machine lacks. On Debian and Ubuntu: apt-get install libatomic1',
  );
  say(`going on with Node ${OLDEST_NODE} until then (docs/dependencies.md says what differs)`);
  return olderNode(root);
}

/** What the system says if a Node does not start here; undefined if it does. */
function whyNotStarted(node) {
  if (!existsSync(node)) return 'it is not installed';
  const { status, stderr, error } = spawnSync(node, ['--version'], { encoding: 'utf8' });
  return status === 0 ? undefined : (error?.message ?? stderr.trim());
}

async function olderNode(root) {
  const folder = join(root, 'runtime', 'older-node');
  const node = join(folder, PACKAGE);
  const isReady = () => existsSync(node);
  if (!isReady()) await install(folder, { what: `Node ${OLDEST_NODE}`, needsDev: false, isReady });
  const why = whyNotStarted(node);
  return why === undefined ? node : noNode(root, why);
}

function noNode(root, why) {
  say(`this needs Node ${OLDEST_NODE} or newer; this is ${process.version},`);
  return stop(
    `and ${relative(root, join(root, PACKAGE))} does not start: ${why}. (Node is pinned for Linux on x64 and arm64, with glibc.) ` +
      `Install Node ${OLDEST_NODE} or newer and run the same command again.`,
  );
}
