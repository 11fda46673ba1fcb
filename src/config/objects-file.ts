// Files that describe everything registered: YAML, read and written.
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { objectOf } from '../core/json.ts';
import { readConfigFile } from './file.ts';

const HEAD = `# Everything registered, without secrets and people. Compare: tessera diff -f FILE. Apply: tessera apply -f FILE
# What is left out has its default. Times are in seconds.
`;

export function objectsText(objects: object): string {
  return HEAD + stringify(objects, { lineWidth: 0 });
}

/** Several files and folders as one document. A name that occurs twice is a mistake. */
export function readObjectFiles(paths: readonly string[]): { readonly objects: object; readonly repeated?: string } {
  // Without a prototype: __proto__ is a name like any other.
  const merged: Record<string, Record<string, unknown>> = Object.create(null);
  for (const path of paths.flatMap(filesAt)) {
    for (const [section, bodies] of Object.entries(treeAt(path))) {
      // The caller refuses it: with --prune, a section left empty by mistake would remove everything.
      const given = objectOf(bodies);
      if (!given) return { objects: { [section]: bodies } };
      merged[section] ??= Object.create(null) as Record<string, unknown>;
      const known = merged[section];
      const repeated = Object.keys(given).find((name) => Object.hasOwn(known, name));
      if (repeated !== undefined) return { objects: merged, repeated: `${section}.${repeated}` };
      Object.assign(known, given);
    }
  }
  return { objects: merged };
}

/** A file that is not the configuration, but in the same form. */
class FileFault extends Error {
  override readonly name = 'FileFault';
}

function treeAt(path: string): object {
  try {
    return readConfigFile(path).tree;
  } catch (fault) {
    throw new FileFault((fault as Error).message);
  }
}

function filesAt(path: string): string[] {
  if (!statSync(path).isDirectory()) return [path];
  return readdirSync(path)
    .filter((name) => /\.ya?ml$/.test(name))
    .sort()
    .map((name) => join(path, name));
}
