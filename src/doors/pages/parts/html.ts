// HTML by a tagged template: values are escaped, unless they are HTML made here.

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Not exported: only `html` makes one, so holding one proves that its text is escaped. */
class Markup {
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  toString(): string {
    return this.#text;
  }
}

export type Html = Markup;
/** `false` and `undefined` show nothing, so that `condition && html…` reads well. */
export type Inset = Html | string | number | false | undefined | readonly Inset[];

export function html(pieces: TemplateStringsArray, ...insets: readonly Inset[]): Html {
  let text = pieces[0] ?? '';
  insets.forEach((inset, index) => {
    // Escaping protects text and quoted attributes; an unquoted attribute would end at the first space.
    if (/\s[\w-]+=$/.test(pieces[index] ?? '')) throw new Error('an attribute set in by a template needs quotes');
    text += markupOf(inset) + (pieces[index + 1] ?? '');
  });
  return new Markup(text);
}

function markupOf(inset: Inset): string {
  if (inset === false || inset === undefined) return '';
  if (inset instanceof Markup) return inset.toString();
  if (Array.isArray(inset)) return inset.map(markupOf).join('');
  return String(inset).replace(/[&<>"']/g, (character) => ENTITIES[character] ?? '');
}
