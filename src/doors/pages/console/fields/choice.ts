// One of a few values, from a list that opens.
import { type Html, html } from '../../parts/html.ts';
import { enConsole } from '../../parts/texts/en-console.ts';
import { type Field, labelled, plain, type Sort } from './field.ts';

const words = enConsole.form;

export const choice: Sort = {
  show: (field) => {
    const values = (field.schema.enum ?? []).map(String);
    return select(
      field,
      values.map((value) => [value, value]),
    );
  },
  read: (form, { path }) => form[path],
};

/** Yes, no, or left out. */
export const yesOrNo: Sort = {
  show: (field) =>
    select(field, [
      ['true', words.yes],
      ['false', words.no],
    ]),
  read: (form, { path }) => (form[path] === undefined ? undefined : form[path] === 'true'),
};

/** What has no default may be left out. */
function select(field: Field, values: readonly (readonly [value: string, text: string])[]): Html {
  const all = field.schema.default === undefined ? [['', words.default] as const, ...values] : values;
  const option = ([value, text]: readonly [string, string]) =>
    html`<option value="${value}"${value === plain(field.value) && html` selected`}>${text}</option>`;
  return labelled(field, (attributes) => html`<select ${attributes}>${all.map(option)}</select>`);
}
