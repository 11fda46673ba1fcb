// The import table of ARCHITECTURE.md as a function from sources to complaints.
import { posix } from 'node:path';
import { codeOf, quoted, type Source, tableOf } from './sources.ts';

export interface Import {
  readonly from: string;
  /** A path from the root, a package or one of Node's modules. */
  readonly to: string;
}

export interface House {
  /** Folder or file → what it may import; undefined: anything. */
  readonly mayImport: ReadonlyMap<string, readonly string[] | undefined>;
  /** Package or word → the only folders and files that may have it. */
  readonly homes: ReadonlyMap<string, readonly string[]>;
}

export function houseOf(architecture: string): House {
  const mayImport = new Map<string, readonly string[] | undefined>();
  for (const [folder = '', allowed = ''] of tableOf(architecture, ['Folder', 'May import'])) {
    for (const name of quoted(folder)) mayImport.set(name, allowed === 'anything' ? undefined : quoted(allowed));
  }
  const homes = new Map<string, string[]>();
  for (const [home = '', what = ''] of tableOf(architecture, ['Only here', 'What'])) {
    for (const word of quoted(what)) homes.set(word, [...(homes.get(word) ?? []), ...quoted(home)]);
  }
  return { mayImport, homes };
}

// Static imports and exports, side-effect imports, dynamic imports and import types.
const SPECIFIER = /(?:\bfrom\s*|\bimport\s*\(?\s*)(['"])([^'"\n]+)\1/g;

export function importsOf({ path, text }: Source): Import[] {
  const specifiers = [...codeOf(text, { keepStrings: true }).matchAll(SPECIFIER)].map((match) => match[2] as string);
  const resolve = (specifier: string) =>
    specifier.startsWith('.') ? posix.join(posix.dirname(path), specifier) : specifier;
  return specifiers.map((specifier) => ({ from: path, to: resolve(specifier) }));
}

export function complaints(sources: readonly Source[], house: House): string[] {
  const imports = sources.flatMap(importsOf);
  return [
    ...sources.flatMap(({ path }) => (rowOf(path, house) ? [] : [`${path}: its folder is not in the import table`])),
    ...imports.flatMap((one) => complaintAbout(one, house)),
    ...sources.flatMap((source) => strays(source, house)),
    ...shortest(cycles(imports.filter(({ from }) => !from.startsWith('test/')))).map(
      (cycle) => `import cycle: ${cycle.join(' → ')}`,
    ),
  ];
}

function complaintAbout({ from, to }: Import, house: House): string[] {
  const row = rowOf(from, house);
  const allowed = row && house.mayImport.get(row);
  if (!row || !allowed) return [];
  if (!to.endsWith('.ts')) {
    const isEmpty = allowed.length === 0 || row.startsWith('sdk/client');
    const isShut = isEmpty && (row === 'src/core' || !to.startsWith('node:'));
    return isShut ? [`${from} imports ${to}: ${row} imports nothing from outside`] : [];
  }
  const target = rowOf(to, house);
  if (target === row || (target && allowed.includes(target))) return [];
  return [
    `${from} imports ${to}: ${row} may import ${allowed.join(', ') || 'nothing'}, not ${target ?? 'that folder'}`,
  ];
}

/** What the rows of `src` allow, and no file needs: such a permission hides the next wrong import. */
export function unusedPermissions(sources: readonly Source[], house: House): string[] {
  const used = new Set(
    sources.flatMap(importsOf).map(({ from, to }) => `${rowOf(from, house)} → ${rowOf(to, house) ?? to}`),
  );
  const allowed = [...house.mayImport].flatMap(([row, targets = []]) => targets.map((target) => `${row} → ${target}`));
  return allowed.filter((one) => one.startsWith('src/') && !used.has(one));
}

/** Words and packages used outside their allowed files. Only the service's own code is checked. */
function strays(source: Source, { homes }: House): string[] {
  if (!source.path.startsWith('src/')) return [];
  const code = codeOf(source.text);
  const packages = importsOf(source).map(({ to }) => to);
  return [...homes].flatMap(([word, allowed]) => {
    if (allowed.some((home) => isIn(source.path, home))) return [];
    const isThere = packages.includes(word) || packages.some((name) => name.startsWith(`${word}/`)) || says(code, word);
    return isThere ? [`${source.path} has ${word}: only ${allowed.join(' and ')} may`] : [];
  });
}

/** Words are looked for as code. Names of packages have no capitals; they are looked for among the imports. */
function says(code: string, word: string): boolean {
  if (!/[A-Z]/.test(word)) return false;
  const pattern = word.replace(/[.()]/g, '\\$&');
  return new RegExp(`(?<![\\w.])${pattern}(?!\\w)`).test(code);
}

function rowOf(path: string, { mayImport }: House): string | undefined {
  const rows = [...mayImport.keys()].filter((row) => isIn(path, row));
  return rows.sort((a, b) => b.length - a.length)[0];
}

function isIn(path: string, home: string): boolean {
  return path === home || path.startsWith(`${home}/`);
}

/** One bad import closes many cycles; the shortest names it best. */
function shortest(found: readonly string[][]): string[][] {
  return [...found].sort((a, b) => a.length - b.length).slice(0, 1);
}

/** One cycle per file that closes one, type imports included: a cycle of types is a cycle of ideas. */
function cycles(imports: readonly Import[]): string[][] {
  const targets = new Map<string, string[]>();
  for (const { from, to } of imports) targets.set(from, [...(targets.get(from) ?? []), to]);
  const done = new Set<string>();
  const found: string[][] = [];
  const visit = (file: string, trail: readonly string[]): void => {
    const at = trail.indexOf(file);
    if (at >= 0) found.push([...trail.slice(at), file]);
    if (at >= 0 || done.has(file)) return;
    for (const target of targets.get(file) ?? []) visit(target, [...trail, file]);
    done.add(file);
  };
  for (const file of targets.keys()) visit(file, []);
  return found;
}
