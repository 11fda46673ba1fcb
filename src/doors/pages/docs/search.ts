// Search in the documentation: sections that contain every word, those with the words in their heading first.
import { type Library, type Section, sectionsOf, titleOf } from './library.ts';

interface Indexed {
  readonly section: Section;
  readonly heading: string;
  readonly text: string;
}

export interface Hit {
  readonly section: Section;
  /** The words around the first place where one was found. */
  readonly excerpt: string;
}

const MAX_QUERY = 100;
const MAX_WORDS = 6;
const MAX_HITS = 30;
const EXCERPT = 160;

/** Built at the first search. */
export function searcherOf({ pages }: Library): (query: string) => Hit[] {
  let index: readonly Indexed[] | undefined;
  return (query) => {
    const words = wordsOf(query);
    if (words.length === 0) return [];
    index ??= pages.flatMap((page) => sectionsOf(page).map((section) => indexed(section, titleOf(page))));
    return index
      .filter(({ heading, text }) => words.every((word) => heading.includes(word) || text.includes(word)))
      .map((entry) => ({ entry, score: scoreOf(entry, words) }))
      .sort((a, b) => b.score - a.score)
      .slice(0, MAX_HITS)
      .map(({ entry: { section, text } }) => ({ section, excerpt: excerptOf(section.text, text, words) }));
  };
}

function wordsOf(query: string): string[] {
  return query.slice(0, MAX_QUERY).toLowerCase().split(/\s+/).filter(Boolean).slice(0, MAX_WORDS);
}

function indexed(section: Section, title: string): Indexed {
  return { section, heading: `${title} ${section.heading.text}`.toLowerCase(), text: section.text.toLowerCase() };
}

function scoreOf({ heading, text }: Indexed, words: readonly string[]): number {
  const inHeading = words.filter((word) => heading.includes(word)).length;
  return inHeading * 10 + words.filter((word) => text.includes(word)).length;
}

function excerptOf(text: string, lowered: string, words: readonly string[]): string {
  const places = words.map((word) => lowered.indexOf(word)).filter((at) => at >= 0);
  const from = Math.max(0, Math.min(...places, text.length) - EXCERPT / 4);
  const cut = text.slice(from, from + EXCERPT);
  return `${from > 0 ? '…' : ''}${cut}${from + EXCERPT < text.length ? '…' : ''}`;
}
