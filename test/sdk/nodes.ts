// The versions of Node that the packages in sdk/ promise to run on.
import { execFileSync } from 'node:child_process';
import { existsSync, globSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '../..');
const PROMISED = [20, 22, 24, 26] as const;

export interface PromisedNode {
  readonly major: number;
  /** Undefined if it is not at hand. */
  readonly path: string | undefined;
  /** For the options of a test. */
  readonly skip: string | false;
}

/** Those of the machine, of the checkout, and those that `runtime/other-nodes.mjs` has installed. */
export function promisedNodes(): readonly PromisedNode[] {
  const onPath = (process.env['PATH'] ?? '').split(':').map((folder) => join(folder, 'node'));
  const pinned = globSync(join(ROOT, 'node_modules/node-*/bin/node'));
  const others = globSync(join(ROOT, 'node_modules/.cache/nodes/*/node_modules/node-*/bin/node'));
  const found = new Map<number, string>();
  for (const path of [process.execPath, ...onPath.filter((each) => existsSync(each)), ...pinned, ...others]) {
    const major = Number(/^v(\d+)/.exec(execFileSync(path, ['--version'], { encoding: 'utf8' }))?.[1]);
    if (!found.has(major)) found.set(major, path);
  }
  return PROMISED.map((major) => ({
    major,
    path: found.get(major),
    skip: found.has(major) ? false : `Node ${major} is not at hand: node runtime/other-nodes.mjs ${major}`,
  }));
}
