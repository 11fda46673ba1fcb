// Where the value of an expression comes from.
import { type Binding, bindingOf, childrenOf, declaredAs, type Module, type Node } from './modules.ts';

/**
 * `code`: a constant or a function of the code under test. `seen`: what was observed when the test ran. `file`: a file that was
 * read. `other`: another implementation, such as OpenSSL's or a package. None of these: the test's own words.
 */
export interface Origin {
  readonly kind: 'code' | 'seen' | 'file' | 'other';
  readonly name: string;
}

type Origins = readonly Origin[];

/** Names of tables and a clock: what tests act on, and never what they expect. */
const HANDLES = /^src\/(?:store\/tables\/|system\.ts)/;
const SEEN: Origins = [{ kind: 'seen', name: 'seen' }];
/** Modules of Node that compute nothing by themselves. */
const PLAIN = /^node:(?:assert|test|path|url|util|events|timers|stream|process|perf_hooks|module|async_hooks)/;

const known = new Map<Node, Origins>();
const open = new Set<Node>();

export function originsOf(node: Node, module: Module): Origins {
  const before = known.get(node);
  if (before || open.has(node)) return before ?? [];
  open.add(node);
  const found = distinct(look(node, module));
  open.delete(node);
  known.set(node, found);
  return found;
}

function look(node: Node, module: Module): Origins {
  const of = (each: unknown) => originsOf(each as Node, module);
  const { callee, object, property, computed, value } = node;
  switch (node.type) {
    case 'AwaitExpression':
      return isRead(node['argument'] as Node, module) ? [{ kind: 'file', name: 'readFile' }] : SEEN;
    case 'ThisExpression':
      return SEEN;
    case 'Identifier':
      return ofBinding(bindingOf(node, module));
    case 'MemberExpression':
      return [...of(object), ...(computed ? of(property) : [])];
    case 'Property':
      return of(value);
    case 'CallExpression':
      return [...ofCall(callee as Node, module), ...(node['arguments'] as Node[]).flatMap(of)];
    case 'NewExpression':
      return [...ofClass(callee as Node, module), ...(node['arguments'] as Node[]).flatMap(of)];
    case 'FunctionDeclaration':
    case 'FunctionExpression':
    case 'ArrowFunctionExpression':
      return node['async'] ? SEEN : returned(node['body'] as Node).flatMap(of);
    default:
      return childrenOf(node).flatMap(of);
  }
}

function isRead(call: Node, module: Module): boolean {
  const callee = call['callee'] as Node | undefined;
  return callee?.type === 'Identifier' && bindingOf(callee, module)?.from === 'node:fs/promises';
}

function ofCall(callee: Node, module: Module): Origins {
  if (callee.type !== 'Identifier') return originsOf(callee, module);
  const binding = bindingOf(callee, module);
  const found = binding?.kind === 'import' ? (declaredAs(binding) ?? binding) : binding;
  if (found && isUnderTest(found)) return ofCode(found);
  return found?.kind === 'function' ? originsOf(found.node as Node, found.module) : ofBinding(found);
}

/** An object of a class of ours, or of a package. */
function ofClass(callee: Node, module: Module): Origins {
  const binding = callee.type === 'Identifier' ? bindingOf(callee, module) : undefined;
  const isOwn = binding !== undefined && (binding.kind === 'class' || declaredAs(binding) !== undefined);
  return isOwn ? SEEN : ofBinding(binding);
}

function ofBinding(binding: Binding | undefined): Origins {
  if (binding?.kind === 'import') return ofImport(binding);
  if (!binding || binding.kind === 'class' || binding.kind === 'function') return [];
  return binding.node ? originsOf(binding.node, binding.module) : SEEN;
}

/** A function that is not called here says nothing yet. */
export function ofImport(binding: Binding): Origins {
  const { from = '' } = binding;
  const found = declaredAs(binding);
  if (found && isUnderTest(found)) return isConstant(found) ? ofCode(found) : [];
  if (found?.module.path.startsWith('lab/')) return [{ kind: 'other', name: 'lab' }];
  if (found) return ofBinding(found);
  if (from === 'node:fs') return [{ kind: 'file', name: from }];
  return from.startsWith('.') || PLAIN.test(from) ? [] : [{ kind: 'other', name: from }];
}

export function isUnderTest({ module }: Binding): boolean {
  return /^(?:src|sdk)\//.test(module.path);
}

function isConstant({ kind, name, node }: Binding): boolean {
  const isMadeFunction = node?.type === 'CallExpression' && /^[a-z]/.test(name);
  return kind === 'value' && !isMadeFunction && !/Function|Class/.test(node?.type ?? '');
}

function ofCode({ module, name, kind }: Binding): Origins {
  return kind === 'class' || HANDLES.test(module.path) ? [] : [{ kind: 'code', name }];
}

/** What a function returns: its body, or the arguments of its returns. */
function returned(body: Node): Node[] {
  if (body.type === 'ReturnStatement') return body['argument'] ? [body['argument'] as Node] : [];
  if (!/Statement|SwitchCase|CatchClause/.test(body.type)) return /Declaration|Function/.test(body.type) ? [] : [body];
  return childrenOf(body)
    .filter(({ type }) => /Statement|SwitchCase|CatchClause/.test(type))
    .filter(({ type }) => type !== 'ExpressionStatement')
    .flatMap(returned);
}

function distinct(all: Origins): Origins {
  return [...new Map(all.map((each) => [each.name, each])).values()];
}
