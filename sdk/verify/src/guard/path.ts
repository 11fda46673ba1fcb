// The path of a request, as rules are matched against it: decoded once. What a proxy or an API could read in another way is refused.

/** Decoded, from the first to the last. A slash at the end adds none. */
export type Segments = readonly string[];

const LONGEST = 8192;
const PLAIN = /^\/[!-~]*$/;
/** After decoding: another round would change it (`%`), or somebody may take it for a separator. */
const AMBIGUOUS = /[%/\\\p{Cc}]/u;

/** A text says why the target of a request cannot be read. */
export function readSegments(target: string): Segments | string {
  if (target.length > LONGEST || !PLAIN.test(target) || target.includes('#')) return 'the path is not in plain form';
  const [path = ''] = target.split('?', 1);
  if (path.includes('\\')) return 'the path has a backslash';
  const decoded = path.slice(1).split('/').map(decode);
  if (decoded.at(-1) === '') decoded.pop();
  return decoded.every(isPlain)
    ? (decoded as string[])
    : 'the path has an empty segment, a dot segment, or an escape that can be read in two ways';
}

function decode(segment: string): string | undefined {
  try {
    return decodeURIComponent(segment);
  } catch {
    return undefined;
  }
}

/** Also without parameters: to some servers, `..;x` is `..`. */
function isPlain(segment: string | undefined): boolean {
  if (segment === undefined || AMBIGUOUS.test(segment)) return false;
  return !['', '.', '..'].includes(withoutParameters(segment));
}

export function withoutParameters(segment: string): string {
  return segment.split(';', 1)[0] ?? '';
}
