// Texts for a schema: at the limits of its lengths, and at those of what services usually take.
import { type Judge, judgeWith, type Shape, type Supply } from './schema-judge.ts';

/** Each limit of a length is tried with texts that are otherwise allowed, and each allowed text with strange letters. */
export function texts(node: Shape, given: readonly unknown[], supply: Supply, judge: Judge): string[] {
  const { format = '', minLength, maxLength, pattern = '' } = node;
  const real = [...given.filter((each) => typeof each === 'string'), ...(supply[format] ?? [])];
  const { minLength: _, maxLength: __, ...unlimited } = node;
  const fits = judge(unlimited);
  const seeds = [...real, ...TEXTS].filter((text) => text.length < 100 && fits(text)).slice(0, 3);
  const inPattern = [...pattern.matchAll(/\{(\d*),?(\d*)\}/g)].flatMap(([, least, most]) => [
    Number(least),
    Number(most),
  ]);
  const limits = [minLength, maxLength, ...inPattern].filter((limit) => limit !== undefined && limit < 20_000);
  const lengths = distinct(limits.flatMap((limit = 0) => [limit, limit + 1, limit - 1])).filter((length) => length > 0);
  const grown = seeds.flatMap((seed) => lengths.flatMap((length) => ofLength(seed, length)));
  const strange = seeds
    .slice(0, 2)
    .flatMap((seed) => STRANGE.flatMap((letter) => [letter + seed, seed + letter, between(seed, letter)]));
  const cut = seeds.flatMap((seed) => [seed.slice(1), seed.slice(0, -1), seed.toUpperCase(), seed + seed]);
  return [...real, ...grown, ...TEXTS, ...cut, ...strange];
}

/** In characters, as JSON Schema counts; the longer ones by repeating each of its characters, or another. */
function ofLength(seed: string, length: number): string[] {
  const letters = Array.from(seed);
  if (letters.length >= length) return [letters.slice(0, length).join('')];
  const missing = length - letters.length;
  return letters.flatMap((letter, at) => [
    [...letters.slice(0, at), letter.repeat(missing), ...letters.slice(at)].join(''),
    [...letters.slice(0, at + 1), 'a'.repeat(missing), ...letters.slice(at + 1)].join(''),
    [...letters.slice(0, at + 1), '\u{1f600}'.repeat(missing), ...letters.slice(at + 1)].join(''),
  ]);
}

function between(text: string, letter: string): string {
  const half = Math.floor(text.length / 2);
  return text.slice(0, half) + letter + text.slice(half);
}

const STRANGE = [
  ...Array.from(
    ' \t\n\r\0\u001f\u007f\u0085\u00a0\u00e4\u0661\u200b\u202e\u2028\ufeff"\'<>`\\/?#%@:;,.*+~$!&=()[]{}|^A0-_',
  ),
  '\u{1f600}',
  '\ud800',
];
/** Texts at and beyond the limits of what services usually take. */
export const TEXTS = [
  ...['a', 'Z', '0', ' ', '-', '.', '*', '/', '/a', ':', ';', '{/sub}', '{/sub}{/x}', '{}', 'a b', ' a', 'a\n'],
  ...['\u0000', '\u202e', '\ud800', '\u00e4', '\u{1f600}', '<b>', '"', '`', '\\', "'", 'true', 'null', 'nobody'],
  ...['local', 'LOCAL', 'tessera', 'Tessera', 'everyone', 'a:b', 'a:read', 'a:read,write;b', 'a:read;', 'a:Read'],
  ...['a::b', '@', 'a@b@c', 'api://x/.default', 'ops@a.example', 'urn:a', 'spiffe://a', 'https://a.example'],
  ...['https://a.example/b?c=d', 'https://a.example/#e', 'https://A.example/', 'https://u:p@a.example/'],
  ...['https://', 'HTTPS://a', 'http://a.example', 'http://localhost:1', 'http://127.0.0.1/a'],
  ...['com.example.app:/a', 'com.example.app://a', 'javascript:1', 'ftp://a.example/', '10.0.0.0/8', '10.0.0.0/33'],
  ...['10.0.0', '::1', 'fd00::/8', 'fe80::1%eth0', '::ffff:10.0.0.1', '1.2.3.4', '2.5.29.32.0', '3.1', '1.02'],
  ...['2026-11-18', '2026-11-18T03:00Z', '2026-13-01', '2026-11-18T25:00', '"1"', 'W/"1"', '""'],
  ...['-----BEGIN CERTIFICATE-----', '{"keys":[]}', 'https://~', '0s', '1h', '::/0', '999999999d'],
];
const JUDGE = judgeWith({});

export function textFor(schema: Shape): string {
  const fits = JUDGE({ ...schema, type: 'string' });
  return TEXTS.find((text) => fits(text)) ?? ofLength('a', schema.minLength ?? 1)[0] ?? '';
}

export function distinct<T>(list: readonly T[]): T[] {
  return [...new Map(list.map((each) => [JSON.stringify(each), each])).values()];
}
