// Small changes of a source file, each of which some test should notice.
import { parseSync } from 'oxc-parser';

export interface Mutant {
  readonly file: string;
  readonly line: number;
  /** Of the line, as it was. */
  readonly text: string;
  readonly start: number;
  readonly end: number;
  readonly from: string;
  readonly to: string;
}

interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [key: string]: unknown;
}

const OPERATORS: Readonly<Record<string, string>> = {
  '===': '!==',
  '!==': '===',
  '<': '<=',
  '<=': '<',
  '>': '>=',
  '>=': '>',
  '+': '-',
  '-': '+',
  '*': '/',
  '&&': '||',
  '||': '&&',
  '??': '&&',
};

/** Limits and sizes from here on are doubled: by one, no caller would notice. Where the exact number counts, a comparison is changed. */
const LARGE = 100;

/** Types and imports change nothing that a test could notice. */
const LEFT_OUT = /^(?:TS(?!As|NonNull|Satisfies)|Import|ExportAll)/;

export function mutantsOf(file: string, text: string): Mutant[] {
  const found: Mutant[] = [];
  const lines = text.split('\n');
  visit(parseSync(file, text).program as unknown as Node, (node) => {
    for (const [{ start, end }, to] of changesOf(node, text)) {
      const line = text.slice(0, start).split('\n').length;
      found.push({ file, line, text: lines[line - 1] ?? '', start, end, from: text.slice(start, end), to });
    }
  });
  return found;
}

/** The changed lines, before and after; of a long statement the first six. `text`: of the whole file. */
export function diffOf({ file, line, start, end, from, to }: Mutant, text: string): string {
  const [before, after] = [text.slice(text.lastIndexOf('\n', start - 1) + 1, start), text.slice(end).split('\n', 1)];
  const signed = (sign: string, changed: string) => `${before}${changed}${after}`.replaceAll(/^/gm, sign);
  const first = (lines: string) => lines.replace(/^((?:.*\n){6})[\s\S]*/, '$1…');
  return `${file}:${line}\n${first(signed('- ', from))}\n${signed('+ ', to)}\n`;
}

type Change = readonly [where: Pick<Node, 'start' | 'end'>, to: string];

function changesOf(node: Node, text: string): Change[] {
  const { test, argument, value, expression, operator } = node as Node & Record<string, Node>;
  switch (node.type) {
    case 'BinaryExpression':
    case 'LogicalExpression':
      return changesOfOperator(node, text);
    case 'IfStatement':
    case 'ConditionalExpression':
      return ['false', 'true'].map((to) => [test as Node, to]);
    case 'UnaryExpression':
      return (operator as unknown) === '!' ? [[node, text.slice(argument?.start, node.end)]] : [];
    case 'Literal':
      if (typeof value === 'boolean') return [[node, String(!value)]];
      return typeof value === 'number' ? [[node, String(value < LARGE ? value + 1 : 2 * value)]] : [];
    case 'ExpressionStatement':
      return /^(?:Await|Call)Expression$/.test(expression?.type ?? '') ? [[node, ';']] : [];
    default:
      return [];
  }
}

function changesOfOperator(node: Node, text: string): Change[] {
  const [left, right] = [node['left'] as Node, node['right'] as Node];
  const operator = String(node['operator']);
  const to = OPERATORS[operator];
  const start = text.indexOf(operator, left.end);
  return to !== undefined && start < right.start ? [[{ start, end: start + operator.length }, to]] : [];
}

function visit(value: unknown, look: (node: Node) => void): void {
  if (Array.isArray(value)) for (const each of value) visit(each, look);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return;
  const node = value as Node;
  if (typeof node.type === 'string') {
    if (LEFT_OUT.test(node.type)) return;
    look(node);
  }
  for (const [key, child] of Object.entries(node)) if (key !== 'typeAnnotation') visit(child, look);
}
