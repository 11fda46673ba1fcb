// Processes that outlive the tests that started them: servers, browsers, databases. They inherit the variable TEST_RUN_FOLDER.
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

/** How long processes that are about to end may take, beside a busy neighbour. */
const PATIENCE_MS = 10_000;
const STEP_MS = 50;

/** Ends what is left, and resolves to their command lines. Nothing on systems without /proc. */
export async function endLeftProcesses(folder, { isAborted = false } = {}) {
  const left = await waitFor(folder, isAborted ? 0 : PATIENCE_MS);
  signal(left, 'SIGTERM');
  signal(await waitFor(folder, left.length > 0 ? PATIENCE_MS : 0), 'SIGKILL');
  return left.map(({ command }) => command);
}

/** Those of the folder that are still there then. */
async function waitFor(folder, ms) {
  for (let waited = 0; ; waited += STEP_MS) {
    const left = processesOf(folder);
    if (left.length === 0 || waited >= ms) return left;
    await sleep(STEP_MS);
  }
}

/** By the exact variable: the shell of a person may have the folder in others, such as OLDPWD. */
function processesOf(folder) {
  const mark = `TEST_RUN_FOLDER=${folder}`;
  const pids = readFolder('/proc').filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid);
  return pids.flatMap((pid) => {
    if (!readText(`/proc/${pid}/environ`).split('\0').includes(mark)) return [];
    const command = readText(`/proc/${pid}/cmdline`).replaceAll('\0', ' ').trim();
    return command === '' ? [] : [{ pid: Number(pid), command }]; // without one, it has ended and waits for its parent
  });
}

function signal(processes, name) {
  for (const { pid } of processes)
    try {
      process.kill(pid, name);
    } catch {
      // it has ended, or is another user's
    }
}

function readFolder(path) {
  try {
    return readdirSync(path);
  } catch {
    return [];
  }
}

function readText(path) {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return ''; // it has ended, or is another user's
  }
}
