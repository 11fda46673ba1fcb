import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ROOT } from '../deploy/shell.ts';

const CONFIG = 'tsconfig.mutant.json';
/** A mistake is rarely written as `if (false)`, so what is unreachable or unused then does not count. */
const LENIENT = { allowUnreachableCode: true, noUnusedLocals: false, noUnusedParameters: false };

/** Whether a source file has the types that it needs. `folder`: the checkout. */
export async function hasSoundTypes(file: string, folder: string): Promise<boolean> {
  // What was found out about files that have not changed since is kept.
  const compilerOptions = { ...LENIENT, incremental: true, tsBuildInfoFile: `./out/types/${file}.json` };
  const config = { extends: './tsconfig.json', compilerOptions, files: [file], include: [] };
  writeFileSync(join(folder, CONFIG), JSON.stringify(config));
  const arguments_ = [join(ROOT, 'node_modules/typescript/bin/tsc'), '--project', CONFIG];
  return promisify(execFile)(process.execPath, arguments_, { cwd: folder }).then(
    () => true,
    () => false,
  );
}
