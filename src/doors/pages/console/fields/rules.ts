// The rules of a token issuer as people enter them: conditions and settings, one per line; a blank line begins the next rule.
import { parseJson } from '../frame.ts';

type Rule = Readonly<Record<string, unknown>>;

const LISTS = ['directories', 'integrations'];

export function writeRules(rules: unknown): string {
  return ((rules ?? []) as readonly Rule[]).map(writeRule).join('\n\n');
}

function writeRule({ when, ...settings }: Rule): string {
  const conditions = Object.entries((when ?? {}) as Rule).flatMap(([claim, test]) =>
    typeof test === 'object' && test !== null && 'like' in test
      ? [`${claim} like ${test.like}`]
      : [test].flat().map((value) => `${claim} = ${value}`),
  );
  const others = Object.entries(settings).map(([name, value]) => `${name}: ${[value].flat().join(' ')}`);
  return [...conditions, ...others].join('\n');
}

/** What cannot be read stays as it is, as a member that no rule has: the act says which. A list in JSON, as in files, is read too. */
export function readRules(text: string): unknown {
  if (text.trim().startsWith('[')) return parseJson(text);
  const blocks = text.trim().split(/\n\s*\n/);
  return blocks.flatMap((block) => (block.trim() ? [readRule(block.trim().split('\n'))] : []));
}

function readRule(lines: readonly string[]): Rule {
  const when: Record<string, unknown> = {};
  const settings: Record<string, unknown> = {};
  for (const line of lines.map((each) => each.trim())) {
    const [, claim, how, value = ''] =
      /^(\/\S*?)(?: *(=) *| +(like) +)(.+)$/.exec(line)?.filter((part) => part !== undefined) ?? [];
    const [, name = line, text = ''] = /^(\w+): *(.*)$/.exec(line) ?? [];
    if (claim === undefined) settings[name] = LISTS.includes(name) ? text.split(/[\s,]+/) : text;
    else if (how === 'like') when[claim] = { like: value };
    else when[claim] = when[claim] === undefined ? value : [when[claim], value].flat();
  }
  return { when, ...settings };
}
