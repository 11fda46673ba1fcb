// npm run lab -- agents: the shapes of documents that agents have, each from the page to a refreshed token.
import { spawnSync } from 'node:child_process';

export async function tryAgents(): Promise<number> {
  const run = ['runtime/launch.mjs', '--dev', 'runtime/test.mjs', 'test/e2e/agents.test.ts'];
  return spawnSync(process.execPath, run, { stdio: 'inherit' }).status ?? 1;
}
