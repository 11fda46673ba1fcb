// The language of a visit: its texts, and how it writes dates, lengths of time and numbers of things.
import type { EpochSeconds, Seconds } from '../../../core/time.ts';
import { readWeighted } from '../../http/wanted-form.ts';
import { de } from './texts/de.ts';
import type { Texts } from './texts/en.ts';
import { en } from './texts/en.ts';

/** To add a language: write its catalogue, and name it here. */
export const CATALOGUES = { en, de } satisfies Record<string, Texts>;
export type LanguageTag = keyof typeof CATALOGUES;

export interface Language {
  readonly tag: LanguageTag;
  readonly texts: Texts;
  /** A moment, in UTC and saying so: without script the server does not know where the person is. */
  moment(at: EpochSeconds): string;
  /** How long ago or ahead, roughly. */
  distance(from: EpochSeconds, to: EpochSeconds): string;
  length(of: Seconds): string;
}

export interface Said {
  readonly title: string;
  readonly text: string;
}

/** Where a text has a heading, that is its first sentence, which is shown without the full stop. */
export function said(text: string): Said {
  const end = text.indexOf('. ');
  return { title: text.slice(0, end), text: text.slice(end + 2) };
}

const FALLBACK: LanguageTag = 'en';
/** Dates that read the same on both sides of the Atlantic: the month as a word, 24 hours. */
const DATES_AS: Readonly<Record<LanguageTag, string>> = { en: 'en-GB', de: 'de' };

/** RFC 9110 12.5.4: the language with the highest weight among those we have; the first named wins a tie. */
export function languageFor(acceptLanguage: string | undefined): Language {
  const wanted = readWeighted(acceptLanguage)
    .map((range) => range.split('-')[0] ?? '')
    .find((tag) => Object.hasOwn(CATALOGUES, tag));
  return language((wanted ?? FALLBACK) as LanguageTag);
}

const made = new Map<LanguageTag, Language>();

/** Made on first use: date formats of a language take long to load. */
function language(tag: LanguageTag): Language {
  const known = made.get(tag) ?? makeLanguage(tag);
  made.set(tag, known);
  return known;
}

const UNITS = [
  { unit: 'day', seconds: 86_400 },
  { unit: 'hour', seconds: 3_600 },
  { unit: 'minute', seconds: 60 },
  { unit: 'second', seconds: 1 },
] as const;

/** The largest unit of which there are at least two: 90 seconds rather than 1 minute. */
function inUnits(seconds: number): { unit: (typeof UNITS)[number]['unit']; count: number } {
  const size = Math.abs(seconds);
  const fitting = UNITS.find((candidate) => size >= 2 * candidate.seconds) ?? { unit: 'second', seconds: 1 };
  return { unit: fitting.unit, count: Math.round(seconds / fitting.seconds) };
}

function makeLanguage(tag: LanguageTag): Language {
  const dates = new Intl.DateTimeFormat(DATES_AS[tag], { dateStyle: 'medium', timeStyle: 'short', timeZone: 'UTC' });
  const distances = new Intl.RelativeTimeFormat(tag, { numeric: 'auto' });
  return {
    tag,
    texts: CATALOGUES[tag],
    moment: (at) => `${dates.format(at * 1000)} UTC`,
    distance: (from, to) => {
      const { unit, count } = inUnits(to - from);
      return distances.format(count, unit);
    },
    length: (of) => {
      const { unit, count } = inUnits(of);
      return new Intl.NumberFormat(tag, { style: 'unit', unit, unitDisplay: 'long' }).format(count);
    },
  };
}
