// Temporary folders of tests and drills. What is made here is removed when the process ends, also after a failure or Ctrl-C.
import { existsSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { constants, tmpdir } from 'node:os';
import { join } from 'node:path';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
const made = new Set<string>();

/** A new, empty folder. A test may remove it earlier. */
export function temporaryFolder(name: string, parent = tmpdir()): string {
  if (made.size === 0) removeAtExit(); // before there is something to remove
  const folder = mkdtempSync(join(parent, `tessera-${name}-`));
  made.add(folder);
  return folder;
}

/**
 * A folder that is made once per machine and account, and stays: for what is expensive to make. It is made beside and
 * renamed, so that tests that start at once never see half of it. `npm test` sets TEST_KEPT_FOLDER, since it gives each
 * test file a TMPDIR of its own.
 */
export function keptFolder(name: string, fill: (folder: string) => void): string {
  const parent = process.env['TEST_KEPT_FOLDER'] ?? tmpdir();
  const kept = join(parent, `tessera-${name}-${process.getuid?.() ?? 0}`);
  if (existsSync(kept)) return kept;
  const unfinished = temporaryFolder(name, parent);
  fill(unfinished);
  try {
    renameSync(unfinished, kept);
  } catch {
    rmSync(unfinished, { recursive: true }); // another process was faster
  }
  return kept;
}

function removeAtExit(): void {
  process.on('exit', () => {
    for (const folder of made) tryRemove(folder);
  });
  // A signal ends a process without the event `exit`, unless something handles the signal.
  for (const signal of SIGNALS)
    process.once(signal, () => process.listenerCount(signal) === 0 && process.exit(128 + constants.signals[signal]));
}

function tryRemove(folder: string): void {
  try {
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  } catch (error) {
    console.error(`cannot remove ${folder}: ${(error as Error).message}`);
  }
}
