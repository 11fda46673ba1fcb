// The whole store suite on one release of PostgreSQL, under hostile settings where tests say so, then races across nodes under
// all hostile settings at once.
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, globSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { raceAcrossNodes } from '../chaos/postgres-race.ts';

const TESTS = 'test/store/postgres*.test.ts';

/** Returns the exit code. */
export async function runPostgres(args: readonly string[]): Promise<number> {
  const { values } = parseArgs({
    args: [...args],
    options: { server: { type: 'string' }, races: { type: 'string', default: '500' } },
  });
  if (values.server !== undefined) useServer(values.server);
  const { status } = spawnSync(process.execPath, ['--test', '--test-reporter=dot', ...globSync(TESTS).sort()], {
    stdio: 'inherit',
  });
  const broken = await raceAcrossNodes(Number(values.races), { hostile: true });
  console.log(`store suite: ${status === 0 ? 'passed' : 'FAILED'}; broken promises in races: ${broken}`);
  return status === 0 && broken === 0 ? 0 : 1;
}

/** `/usr/lib/postgresql/15`, or its folder `bin`. */
function useServer(folder: string): void {
  const programs = [folder, join(folder, 'bin')].find((each) => existsSync(join(each, 'initdb')));
  if (!programs) throw new Error(`no PostgreSQL in ${folder}: initdb is missing`);
  process.env['TEST_POSTGRES'] = programs;
  console.log(execFileSync(join(programs, 'postgres'), ['--version'], { encoding: 'utf8' }).trim());
}
