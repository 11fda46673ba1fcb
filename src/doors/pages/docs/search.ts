// Search in the documentation: sections that contain every word. Words in a heading count most, then in bold and in the title.
import { type Library, type Section, sectionsOf, titleOf } from './library.ts';

interface Indexed {
  readonly section: Section;
  readonly title: string;
  readonly heading: string;
  readonly terms: string;
  readonly text: string;
  /** All of them. */
  readonly whole: string;
}

export interface Hit {
  readonly section: Section;
  /** The words around the first place where one was found. */
  readonly excerpt: string;
}

const MAX_QUERY = 100;
/** A single letter is in every section. */
const MIN_WORD = 2;
const MAX_WORDS = 6;
/** Words that more sections contain say little, and anybody may search: with all of them, `the` takes 0.9 ms instead of 0.5. */
const MAX_SCORED = 250;
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
      .filter(({ whole }) => words.every((word) => whole.includes(word)))
      .slice(0, MAX_SCORED)
      .map((entry) => ({ entry, score: scoreOf(entry, words) }))
      .sort((a, b) => b.score - a.score)
      .slice(0, MAX_HITS)
      .map(({ entry: { section, text } }) => ({ section, excerpt: excerptOf(section.text, text, words) }));
  };
}

function wordsOf(query: string): string[] {
  return query
    .slice(0, MAX_QUERY)
    .toLowerCase()
    .split(/\s+/)
    .filter(({ length }) => length >= MIN_WORD)
    .slice(0, MAX_WORDS);
}

function indexed(section: Section, ofPage: string): Indexed {
  const [title, heading, terms, text] = [ofPage, section.heading.text, section.terms, section.text].map((part) =>
    part.toLowerCase(),
  ) as [string, string, string, string];
  return { section, title, heading, terms, text, whole: `${title} ${heading} ${text}` };
}

const IN_HEADING = 20;
const IN_TITLE = 10;
const IN_BOLD = 10;
/** The words beside each other, in their order. */
const AS_PHRASE = 10;
const MAX_TIMES = 5;
/** In a longer section a word counts less. */
const USUAL_LENGTH = 600;

/** How often a word is in the text; no longer counted once that is enough. */
function timesIn(text: string, word: string, enough: number): number {
  let times = 0;
  for (let at = text.indexOf(word); at >= 0 && times < enough; at = text.indexOf(word, at + word.length)) times += 1;
  return times;
}

function scoreOf({ title, heading, terms, text, whole }: Indexed, words: readonly string[]): number {
  const weight = Math.sqrt(USUAL_LENGTH / Math.max(text.length, USUAL_LENGTH));
  const each = words.map((word) => {
    const times = Math.min(timesIn(text, word, MAX_TIMES / weight) * weight, MAX_TIMES);
    const places = [
      heading.includes(word) && IN_HEADING,
      title.includes(word) && IN_TITLE,
      terms.includes(word) && IN_BOLD,
    ];
    return places.reduce((sum: number, score) => sum + (score || 0), times);
  });
  const isPhrase = words.length > 1 && whole.includes(words.join(' '), title.length + 1);
  return each.reduce((sum, score) => sum + score, isPhrase ? AS_PHRASE : 0);
}

function excerptOf(text: string, lowered: string, words: readonly string[]): string {
  const places = words.map((word) => lowered.indexOf(word)).filter((at) => at >= 0);
  const from = Math.max(0, Math.min(...places, text.length) - EXCERPT / 4);
  const cut = text.slice(from, from + EXCERPT);
  return `${from > 0 ? '…' : ''}${cut}${from + EXCERPT < text.length ? '…' : ''}`;
}
