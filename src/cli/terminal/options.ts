// Arguments and options of commands: what is written, and what it is parsed to. Commander reports what a parser throws as a
// usage error.
import { InvalidArgumentError } from 'commander';
import { parseDuration } from '../../core/duration.ts';
import { type EpochSeconds, epochSeconds, type Seconds } from '../../core/time.ts';

declare const VALUE: unique symbol;

export const DEFAULT = 'default';

/** An argument, or an option. T: what its text is parsed to. */
export interface Input<T = unknown> {
  readonly [VALUE]?: T;
  /** Absent: there is only the option with `no-`. */
  readonly about?: string;
  /** What follows an option, such as `<file>`. */
  readonly value?: string;
  parse?(this: void, text: string, before?: T): T;
  readonly choices?: readonly string[];
  /** The text that stands for one that is left out. */
  readonly usual?: string;
  /** What the option with `no-` is for. */
  readonly none?: string;
  readonly short?: string;
  /** The options that cannot be given beside it. */
  readonly conflicts?: readonly string[];
  readonly isSure?: boolean;
}

export type Inputs = Readonly<Record<string, Input>>;

export type Sure = { readonly isSure: true };
type ValueOf<I> = I extends Input<infer T> ? T : never;

/** What a command is given: all that is needed or has a default, and perhaps the rest. */
export type Given<I extends Inputs> = {
  readonly [Name in keyof I as I[Name] extends Sure ? Name : never]: ValueOf<I[Name]>;
} & { readonly [Name in keyof I as I[Name] extends Sure ? never : Name]?: ValueOf<I[Name]> };

/** `value`: as it is written, if not as its name. */
export function argument(about: string, value?: string): Input<string> & Sure {
  return { about, isSure: true, ...(value !== undefined && { value }) };
}

export function optionalArgument(about: string): Input<string> {
  return { about };
}

/** An option that stands alone. */
export function flag(about: string): Input<true> {
  return { about };
}

export const AS_JSON = { json: flag('as JSON') };

export function text(value: string, about: string): Input<string> {
  return { about, value };
}

export function texts(value: string, about: string): Input<readonly string[]> {
  return { about: `${about}; may be repeated`, value, parse: (word, before) => [...(before || []), word] };
}

/** Several after one flag, such as `<files...>`. */
export function words(value: string, about: string): Input<readonly string[]> {
  return { about, value };
}

export function oneOf<const C extends readonly string[]>(value: string, choices: C, about: string): Input<C[number]> {
  return { about, value, choices };
}

/** Several of them after one flag. */
export function someOf<const C extends readonly string[]>(
  value: string,
  choices: C,
  about: string,
): Input<C[number][]> {
  return { about, value, choices };
}

/** With `[yes|no]`, the option alone says yes. */
export function yesNo(about: string, value = '<yes|no>'): Input<boolean> {
  return { about, value, parse: asYesNo };
}

export function duration(about: string, least = 0): Input<Seconds> {
  return { about, value: '<duration>', parse: (written) => asDuration(written, least) };
}

export function count(about: string, value = '<count>'): Input<number> {
  return { about, value, parse: asCount };
}

export function moment(about: string): Input<EpochSeconds> {
  return { about, value: '<time>', parse: asMoment };
}

export function json(about: string): Input {
  return { about, value: '<json>', parse: asValue };
}

/** It cannot be left out. */
export function needed<T>(input: Input<T>): Input<T> & Sure {
  return { ...input, isSure: true };
}

/** What stands for it if it is left out. */
export function usually<T>(usual: string, input: Input<T>): Input<T> & Sure {
  return { ...input, usual, isSure: true };
}

/** Beside it, one with `no-`. */
export function orNone<T>(none: string, input: Input<T>): Input<T | false> {
  return { ...input, none };
}

/** It cannot be given beside these. */
export function insteadOf<T, I extends Input<T>>(others: readonly string[], input: I): I {
  return { ...input, conflicts: others };
}

/** Beside its values, a word for none of its own. */
export function orDefault<T>({ parse, choices, ...input }: Input<T>): Input<T | typeof DEFAULT> {
  const orWord = (text: string, before?: T | typeof DEFAULT) =>
    text === DEFAULT || !parse ? (text as typeof DEFAULT) : parse(text, before === DEFAULT ? undefined : before);
  return { ...input, ...(choices ? { choices: [...choices, DEFAULT] } : { parse: orWord }) };
}

/** An option with `no-` alone: true, unless it is given. */
export function unless(none: string): Input<boolean> & Sure {
  return { none, isSure: true };
}

function asDuration(text: string, least: number): Seconds {
  const length = parseDuration(text);
  if (length === undefined) throw new InvalidArgumentError('Expected a duration such as 90d, 12h, 15m or 60s.');
  if (length < least) throw new InvalidArgumentError(`Expected at least ${least}s.`);
  return length;
}

function asCount(text: string): number {
  if (!/^[0-9]{1,15}$/.test(text)) throw new InvalidArgumentError('Expected a whole number.');
  return Number(text);
}

function asMoment(text: string): EpochSeconds {
  const moment = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/.test(text) ? Date.parse(text) / 1000 : Number.NaN;
  if (Number.isNaN(moment)) throw new InvalidArgumentError('Expected a moment such as 2027-01-31T12:00:00Z.');
  return epochSeconds(moment);
}

function asYesNo(text: string): boolean {
  if (text !== 'yes' && text !== 'no') throw new InvalidArgumentError('Expected yes or no.');
  return text === 'yes';
}

function asValue(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new InvalidArgumentError('Expected JSON.');
  }
}

/** `clientId` as `client_id`, or as `client-id`. */
export function inWords(name: string, between: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => between + letter.toLowerCase());
}
