// Labels in brackets cite pages of docs/, and test/threats.md: every section they name must exist.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { read, sourcesIn } from './sources.ts';

const LABEL = /\[(contract|spec-gaps|threats)(?::? ([^\]\n]*))?\]/g;

interface Label {
  readonly place: string;
  readonly page: string;
  readonly sections: readonly string[];
}

/** `[contract 3, row 2]` cites section 3, `[contract 4.2, 5.4]` two sections; other labels cite one section by its title. */
function labelsIn(path: string, text: string): Label[] {
  return [...text.matchAll(LABEL)].map(([label, page = '', cited = '']) => ({
    place: `${path}: ${label}`,
    page,
    sections: page === 'contract' ? cited.split(', ').filter((part) => !part.startsWith('row ')) : [cited],
  }));
}

/** Titles of sections; in the contract their numbers, and those of the numbered sentences of a section (5.4). */
function sectionsOf(page: string): Set<string> {
  const sections = new Set<string>();
  let section = '';
  for (const line of read(`${page === 'threats' ? 'test' : 'docs'}/${page}.md`).split('\n')) {
    const [, title = ''] = /^##+ (.+)$/.exec(line) ?? [];
    if (title) section = page === 'contract' ? title.replace(/\.? .*$/, '') : title;
    const [, item] = /^(\d+)\. /.exec(line) ?? [];
    sections.add(item && page === 'contract' ? `${section}.${item}` : section);
  }
  return sections;
}

const SECTIONS = new Map(['contract', 'spec-gaps', 'threats'].map((page) => [page, sectionsOf(page)]));

function withoutSection(labels: readonly Label[]): string[] {
  const isMissing = ({ page, sections }: Label) => sections.some((each) => !each || !SECTIONS.get(page)?.has(each));
  return labels.filter(isMissing).map(({ place }) => place);
}

test('every label of a test cites a section that exists', () => {
  const labels = ['test', 'lab']
    .flatMap((folder) => sourcesIn(folder, '.ts'))
    .filter(({ path }) => path !== 'test/house/labels.test.ts')
    .flatMap(({ path, text }) => labelsIn(path, text));
  assert.ok(labels.length > 100, 'labels are found');
  assert.deepEqual(withoutSection(labels), []);
});

test('every section that the service or a command refers to exists in docs/', () => {
  const named = sourcesIn('src', '.ts').flatMap(({ path, text }) => [
    ...[...text.matchAll(/docs\/([\w-]+)\.md, ([A-Z][\w ,/]+\w)/g)].map(([, page, title]) => ({ path, page, title })),
    ...[...text.matchAll(/"([^"\n]+)" in docs\/([\w-]+)\.md/g)].map(([, title, page]) => ({ path, page, title })),
  ]);
  assert.ok(named.length > 15, `${named.length} sections`);
  const isThere = (page = '', title = '') => new RegExp(`^##+ ${title}$`, 'm').test(read(`docs/${page}.md`));
  assert.deepEqual(
    named.filter(({ page, title }) => !isThere(page, title)),
    [],
  );
});

test('a label without its section is found', () => {
  const wrong = [
    '[contract 10]',
    '[contract 3, 5.9]',
    '[spec-gaps: all doors]',
    '[spec-gaps]',
    '[threats: Certificate]',
  ];
  const right = [
    '[contract 3, row 2]',
    '[contract 4.2, 5.4]',
    '[spec-gaps: Refresh, exactly once]',
    '[threats: Edges]',
  ];
  const found = withoutSection(labelsIn('x', [...wrong, ...right].join('\n')));
  assert.deepEqual(
    found,
    wrong.map((label) => `x: ${label}`),
  );
});
