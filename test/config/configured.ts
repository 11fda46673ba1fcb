// Configurations of tests: loaded from text, or the mistakes in it.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { loadConfig } from '../../src/config/load.ts';
import { ConfigFault, type Mistake } from '../../src/config/mistake.ts';
import { temporaryFolder } from '../temporary-folder.ts';

export function fileWith(yaml: string): string {
  const file = join(temporaryFolder('config'), 'tessera.yaml');
  writeFileSync(file, yaml);
  return file;
}

export const load = (yaml: string, env = {}, sets: string[] = []) => loadConfig({ file: fileWith(yaml), env, sets });

export function mistakesIn(yaml: string, env = {}, sets: string[] = []): readonly Mistake[] {
  try {
    load(yaml, env, sets);
  } catch (error) {
    if (error instanceof ConfigFault) return error.mistakes;
    throw error;
  }
  return [];
}

export function mistakeIn(yaml: string, env = {}, sets: string[] = []): Mistake {
  const [mistake, ...others] = mistakesIn(yaml, env, sets);
  assert.ok(mistake, 'there is a mistake');
  assert.deepEqual(others, [], 'and no other');
  return mistake;
}
