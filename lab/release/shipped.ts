// The packages that an installed Tessera consists of, from the lock file.

interface LockedPackage {
  readonly version: string;
  readonly resolved?: string;
  readonly integrity?: string;
  readonly license?: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

export interface Lock {
  readonly packages: Readonly<Record<string, LockedPackage>>;
}

export interface Shipped {
  readonly name: string;
  readonly version: string;
  /** Where npm puts it, below the checkout. */
  readonly path: string;
  readonly integrity: string;
  readonly license: string;
  /** Installed on some platforms only. */
  readonly isOptional: boolean;
  /** The paths of the packages that it needs. */
  readonly needs: readonly string[];
}

/** All packages that the root package needs at run time, sorted by path. */
export function shippedPackages(lock: Lock): Shipped[] {
  const found = new Map<string, Shipped>();
  const visit = (path: string, isOptional: boolean): void => {
    if (found.has(path)) return;
    const locked = lock.packages[path];
    if (!locked) throw new Error(`${path} is not in the lock file`);
    const needed = neededBy(lock, path);
    const { version, integrity, license } = locked;
    if (!integrity || !license) throw new Error(`${path} has no integrity or no licence in the lock file`);
    const needs = needed.map((each) => each.path);
    found.set(path, { name: nameOf(path), version, path, integrity, license, isOptional, needs });
    for (const each of needed) visit(each.path, isOptional || each.isOptional);
  };
  for (const each of neededBy(lock, '')) visit(each.path, each.isOptional);
  return [...found.values()].toSorted((a, b) => (a.path < b.path ? -1 : 1));
}

function neededBy(lock: Lock, path: string): { readonly path: string; readonly isOptional: boolean }[] {
  const { dependencies = {}, optionalDependencies = {} } = lock.packages[path] ?? {};
  const needed = (names: object, isOptional: boolean) =>
    Object.keys(names).flatMap((name) => {
      const at = resolved(lock, path, name);
      if (at === undefined && !isOptional)
        throw new Error(`${name}, which ${path || 'the package'} needs, is not locked`);
      return at === undefined ? [] : [{ path: at, isOptional }];
    });
  return [...needed(dependencies, false), ...needed(optionalDependencies, true)];
}

/** As Node resolves it: in the package's own node_modules, then further up. */
function resolved({ packages }: Lock, from: string, name: string): string | undefined {
  for (let folder = from; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf('/node_modules/')))) {
    const path = `${folder}${folder ? '/' : ''}node_modules/${name}`;
    if (packages[path]) return path;
    if (folder === '') return undefined;
  }
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);
}
