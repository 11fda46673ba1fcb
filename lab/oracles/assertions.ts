// The assertions of a test file, and where what each expects comes from.
import { bindingOf, childrenOf, declaredAs, type Module, moduleOf, type Node } from './modules.ts';
import { isUnderTest, type Origin, ofImport, originsOf } from './origins.ts';

export interface Assertion {
  readonly path: string;
  readonly line: number;
  readonly origins: readonly Origin[];
}

export function assertionsOf(path: string): Assertion[] {
  const module = moduleOf(path);
  return callsIn(module.program).flatMap((call) => {
    const sides = [...expectedOf(call), ...handedOn(call, module)];
    if (sides.length === 0) return [];
    const line = module.text.slice(0, call.start).split('\n').length;
    return [{ path, line, origins: sides.flatMap((side) => originsOf(side, module)) }];
  });
}

/** The names that a file takes from the code under test: constants, also if it only counts with them, and what it expects. */
export function takenIn(path: string): string[] {
  const imports = [...moduleOf(path).top.names.values()].filter((each) => {
    const declared = each.kind === 'import' ? declaredAs(each) : undefined;
    return declared && isUnderTest(declared);
  });
  const all = [...imports.flatMap(ofImport), ...assertionsOf(path).flatMap(({ origins }) => origins)];
  return [...new Set(all.filter(({ kind }) => kind === 'code').map(({ name }) => name))];
}

function callsIn(node: Node): Node[] {
  return [...(node.type === 'CallExpression' ? [node] : []), ...childrenOf(node).flatMap(callsIn)];
}

/** The expected side: of `ok`, the right side of its comparisons. */
function expectedOf(call: Node): Node[] {
  const { type, object, property, name } = call['callee'] as Node & Record<string, Node>;
  const isAssert = type === 'MemberExpression' ? object?.['name'] === 'assert' : (name as unknown) === 'assert';
  const [actual, expected] = call['arguments'] as Node[];
  if (!isAssert || !actual) return [];
  const isTruth = type === 'Identifier' || property?.['name'] === 'ok';
  return isTruth ? comparedIn(actual) : expected ? [expected] : [];
}

function comparedIn(node: Node): Node[] {
  if (node.type === 'BinaryExpression') return [node['right'] as Node];
  return /^(?:Logical|Unary)Expression$/.test(node.type) ? childrenOf(node).flatMap(comparedIn) : [];
}

/** What a call hands to a function of the tests that expects it: `refuses(request, 'scope-missing')`. */
function handedOn(call: Node, module: Module): Node[] {
  const callee = call['callee'] as Node;
  const binding = callee.type === 'Identifier' ? bindingOf(callee, module) : undefined;
  const found = binding?.kind === 'import' ? declaredAs(binding) : binding;
  if (!found?.node || !/^(?:test|lab)\//.test(found.module.path)) return [];
  const places = expectedParameters(found.module).get(found.node);
  return (call['arguments'] as Node[]).filter((_, at) => places?.has(at));
}

type Places = ReadonlyMap<Node, ReadonlySet<number>>;
const placesOf = new Map<Module, Places>();

function expectedParameters(module: Module): Places {
  const before = placesOf.get(module);
  if (before) return before;
  const places = new Map<Node, Set<number>>();
  for (const side of callsIn(module.program).flatMap(expectedOf))
    for (const { kind, node, of, at = 0 } of identifiersIn(side).flatMap((each) => bindingOf(each, module) ?? []))
      if (kind === 'parameter' && of && !node) places.set(of, (places.get(of) ?? new Set()).add(at));
  placesOf.set(module, places);
  return places;
}

function identifiersIn(node: Node): Node[] {
  return node.type === 'Identifier' ? [node] : childrenOf(node).flatMap(identifiersIn);
}
