import type { IncomingHttpHeaders } from 'node:http';

const FORMS: Readonly<Record<string, 'page' | 'json'>> = {
  'text/html': 'page',
  'application/xhtml+xml': 'page',
  'application/json': 'json',
};

/** What Accept asks for by name: browsers name HTML. Undefined: anything, which most programs send. */
export function wantedForm({ accept }: IncomingHttpHeaders): 'page' | 'json' | undefined {
  const [first] = readWeighted(accept).filter((type) => Object.hasOwn(FORMS, type));
  return first === undefined ? undefined : FORMS[first];
}

/** A header with weights (RFC 9110 12.4.2), heaviest first; the first named wins a tie. Weight 0 means "never". */
export function readWeighted(header: string | undefined): string[] {
  return (header ?? '')
    .slice(0, 500)
    .split(',')
    .map((range) => {
      const [value = '', ...parameters] = range.trim().toLowerCase().split(';');
      const weight = parameters.find((parameter) => parameter.trim().startsWith('q='))?.split('=')[1];
      return { value: value.trim(), weight: weight === undefined ? 1 : Number(weight) };
    })
    .filter(({ weight }) => weight > 0)
    .toSorted((a, b) => b.weight - a.weight)
    .map(({ value }) => value);
}
