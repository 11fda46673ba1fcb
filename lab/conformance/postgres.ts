// The whole store suite on one release of PostgreSQL, under hostile settings where tests say so, then races across nodes under
// all hostile settings at once.
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, globSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { temporaryFolder } from '../../test/temporary-folder.ts';
import { raceAcrossNodes } from '../chaos/postgres-race.ts';

const TESTS = 'test/store/postgres*.test.ts';

/** Returns the exit code. */
export async function runPostgres(args: readonly string[]): Promise<number> {
  const { values } = parseArgs({
    args: [...args],
    options: { server: { type: 'string' }, races: { type: 'string', default: '500' } },
  });
  if (values.server !== undefined) useServer(values.server);
  const { passed, failed } = runTests();
  const broken = await raceAcrossNodes(Number(values.races), { hostile: true });
  console.log(`store suite: ${passed} tests passed, ${failed} failed; broken promises in races: ${broken}`);
  return passed > 0 && failed === 0 && broken === 0 ? 0 : 1;
}

/** A dot per test on the terminal; failures are printed at the end. */
function runTests(): { passed: number; failed: number } {
  const folder = temporaryFolder('conformance');
  const summary = join(folder, 'tap');
  const reporters = ['dot', 'tap'].map((name) => `--test-reporter=${name}`);
  const places = ['stdout', summary].map((place) => `--test-reporter-destination=${place}`);
  spawnSync(process.execPath, ['--test', ...reporters, ...places, ...globSync(TESTS).sort()], { stdio: 'inherit' });
  const text = readFileSync(summary, 'utf8');
  rmSync(folder, { recursive: true });
  const count = (what: string) => Number(new RegExp(`^# ${what} (\\d+)$`, 'm').exec(text)?.[1] ?? 0);
  return { passed: count('pass'), failed: count('fail') + count('cancelled') };
}

/** `/usr/lib/postgresql/15`, or its folder `bin`. */
function useServer(folder: string): void {
  const programs = [folder, join(folder, 'bin')].find((each) => existsSync(join(each, 'initdb')));
  if (!programs) throw new Error(`no PostgreSQL in ${folder}: initdb is missing`);
  process.env['TEST_POSTGRES'] = programs;
  console.log(execFileSync(join(programs, 'postgres'), ['--version'], { encoding: 'utf8' }).trim());
}
