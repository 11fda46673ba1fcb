// The names in a module, and what each is bound to: enough of JavaScript's scopes to follow an expectation to where it comes from.
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { parseSync } from 'oxc-parser';
import { ROOT } from '../deploy/shell.ts';

export interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [key: string]: unknown;
}

export interface Binding {
  readonly kind: 'value' | 'function' | 'class' | 'parameter' | 'import';
  readonly module: Module;
  readonly name: string;
  /** What a value is made by; of a parameter, what is iterated: `row` of `TABLE.map((row) => …)`. */
  readonly node?: Node | undefined;
  /** Of an import: as written. */
  readonly from?: string;
  /** Of a parameter: its function, and its place there. */
  readonly of?: Node;
  readonly at?: number;
}

interface Scope {
  readonly names: Map<string, Binding>;
  readonly outer?: Scope;
}

export interface Module {
  readonly path: string;
  readonly text: string;
  readonly program: Node;
  readonly top: Scope;
  readonly scopes: Map<Node, Scope>;
}

const modules = new Map<string, Module>();

export function moduleOf(path: string): Module {
  const known = modules.get(path);
  if (known) return known;
  const text = readFileSync(join(ROOT, path), 'utf8');
  const program = parseSync(path, text).program as unknown as Node;
  const module: Module = { path, text, program, top: { names: new Map() }, scopes: new Map() };
  modules.set(path, module);
  bind(program, module.top, module);
  return module;
}

const children = new Map<Node, Node[]>();

/** The nodes below, without types. */
export function childrenOf(node: Node): Node[] {
  const before = children.get(node);
  if (before) return before;
  const found: Node[] = [];
  for (const key in node) if (!key.startsWith('type')) collect(node[key], found);
  children.set(node, found);
  return found;
}

function collect(value: unknown, found: Node[]): void {
  if (typeof value !== 'object' || value === null) return;
  if (Array.isArray(value)) for (const each of value) collect(each, found);
  const { type } = value as Partial<Node>;
  if (type !== undefined && !NO_CODE.test(type)) found.push(value as Node);
}

const NO_CODE = /^TS(?!As|NonNull|Satisfies)/;

export function bindingOf(identifier: Node, module: Module): Binding | undefined {
  const name = String(identifier['name']);
  for (let scope = module.scopes.get(identifier); scope; scope = scope.outer) {
    const found = scope.names.get(name);
    if (found) return found;
  }
  return undefined;
}

/** What an import is in the module that declares it; undefined of packages and Node's own modules. */
export function declaredAs({ from = '', name, module }: Binding): Binding | undefined {
  const path = normalize(join(dirname(module.path), from));
  if (!from.startsWith('.') || !path.endsWith('.ts') || !existsSync(join(ROOT, path))) return undefined;
  return exportOf(moduleOf(path), name);
}

function exportOf(module: Module, name: string): Binding | undefined {
  const body = module.program['body'] as Node[];
  for (const { type, source, specifiers } of body as (Node & Record<string, Node | Node[]>)[]) {
    const found = ((specifiers ?? []) as Node[]).find(
      (each) => (each['exported'] as Node | undefined)?.['name'] === name,
    );
    if (type !== 'ExportNamedDeclaration' || !found) continue;
    const local = String((found['local'] as Node)['name']);
    if (!source) return exportOf(module, local);
    return declaredAs({ kind: 'import', module, name: local, from: String((source as Node)['value']) });
  }
  const own = module.top.names.get(name);
  return own?.kind === 'import' ? declaredAs(own) : own;
}

/** A callback, or a declaration in the head of a loop: what it is called for each of. */
const iterated = new Map<Node, Node>();

function bind(node: Node, scope: Scope, module: Module): void {
  module.scopes.set(node, scope);
  if (node.type === 'ImportDeclaration') {
    bindImports(node, scope, module);
    return;
  }
  const inner = OPENS.test(node.type) ? { names: new Map<string, Binding>(), outer: scope } : scope;
  noteIterated(node);
  const { id, init } = node as Node & Record<string, Node>;
  const add = (to: Scope, pattern: Node, binding: Omit<Binding, 'module' | 'name'>) => {
    for (const name of namesIn(pattern)) to.names.set(name, { module, name, ...binding });
  };
  if (node.type === 'VariableDeclarator') add(scope, id as Node, { kind: 'value', node: init ?? iterated.get(node) });
  if (node.type === 'ClassDeclaration') add(scope, id as Node, { kind: 'class' });
  if (node.type === 'FunctionDeclaration') add(scope, id as Node, { kind: 'function', node });
  if (node.type.includes('Function'))
    for (const [at, each] of (node['params'] as Node[]).entries())
      add(inner, each, { kind: 'parameter', of: node, at, node: iterated.get(node) });
  for (const child of childrenOf(node)) bind(child, inner, module);
}

const OPENS = /^(?:Block|Switch|For|ForOf|ForIn)Statement$|Function/;

function noteIterated(node: Node): void {
  const { left, right, callee } = node as Node & Record<string, Node>;
  if (/^For(?:Of|In)Statement$/.test(node.type))
    for (const each of (left?.['declarations'] ?? []) as Node[]) iterated.set(each, right as Node);
  if (node.type === 'CallExpression' && callee?.type === 'MemberExpression')
    for (const each of node['arguments'] as Node[]) iterated.set(each, callee['object'] as Node);
}

function bindImports(node: Node, { names }: Scope, module: Module): void {
  if (node['importKind'] === 'type') return;
  const from = String((node['source'] as Node)['value']);
  for (const { importKind, imported, local } of node['specifiers'] as (Node & Record<string, Node>)[]) {
    const binding = {
      kind: 'import',
      module,
      name: imported ? String((imported as Node)['name']) : '*',
      from,
    } as const;
    if ((importKind as unknown) !== 'type') names.set(String(local?.['name']), binding);
  }
}

/** The names that a pattern declares. */
function namesIn(pattern: Node): string[] {
  if (pattern.type === 'Identifier') return [String(pattern['name'])];
  const parts = ['left', 'argument', 'value', 'properties', 'elements'].flatMap((key) => pattern[key] ?? []);
  return (parts as (Node | null)[]).flatMap((part) => (part ? namesIn(part) : []));
}
