// The licences of everything that an installation contains, with their texts.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Shipped } from './shipped.ts';

const TEXT_NAME = /^(?:licen[cs]e|copying|notice)(?:[.-].*)?$/i;

/** Packages for other platforms are not installed here: they have the text of the package that needs them. */
export function licencesOf(root: string, shipped: readonly Shipped[]): string {
  const sections = shipped.map((each) => {
    const heading = `${each.name} ${each.version}: ${each.license}`;
    return [heading, '='.repeat(heading.length), '', textOf(root, each, shipped), ''].join('\n');
  });
  return sections.join('\n');
}

function textOf(root: string, each: Shipped, shipped: readonly Shipped[]): string {
  const own = textsIn(join(root, each.path));
  if (own.length > 0) return own.join('\n');
  const parent = shipped.find(({ needs }) => needs.includes(each.path));
  const inherited = parent && each.isOptional ? textsIn(join(root, parent.path)) : [];
  if (inherited.length > 0) return inherited.join('\n');
  // Some packages name their licence and ship no text of it.
  return `The package contains no text of this licence. Its terms: https://spdx.org/licenses/${each.license}.html\n`;
}

function textsIn(folder: string): string[] {
  if (!existsSync(folder)) return [];
  const names = readdirSync(folder).filter((name) => TEXT_NAME.test(name));
  return names.toSorted().map((name) => readFileSync(join(folder, name), 'utf8').replaceAll('\r\n', '\n').trimEnd());
}
