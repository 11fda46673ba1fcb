// The fields of forms: a label, a control, how to fill it in, and what is wrong with it.
import { type Html, html } from '../parts/html.ts';
import { described } from '../parts/layout.ts';
import type { Form } from '../parts/route.ts';
import { enConsole } from '../parts/texts/en-console.ts';
import type { Fault } from './fault.ts';
import { nameText } from './frame.ts';
import type { Keywords } from './things.ts';

const words = enConsole.form;

export interface Field {
  /** The names of the members that lead to it, with dots. */
  readonly path: string;
  readonly name: string;
  readonly schema: Keywords;
  readonly value: unknown;
  readonly isRequired: boolean;
  /** What is wrong with the form: with this field, if it has its path. */
  readonly fault: Fault | undefined;
}

/** One way to enter a member. */
export interface How {
  /** Of its fields, if it has not just one. */
  readonly names?: (path: string, schema: Keywords) => readonly string[];
  readonly show: (field: Field) => Html;
  /** Undefined: nothing was entered. What means nothing of that kind stays as it is: the act says what is wrong with it. */
  readonly read: (form: Form, field: Omit<Field, 'value' | 'fault'>) => unknown;
}

/** As a field has it. */
export function plain(value: unknown): string {
  if (value === undefined) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** A label, the field that `control` makes, and how to fill it in. */
export function labelled(
  { path, name, schema, isRequired, fault }: Field,
  control: (attributes: Html) => Html,
  more = '',
): Html {
  const hint = [schema.description?.replace(/[.,]? in seconds\.$/i, '.'), more].filter(Boolean).join(' ');
  const marks = faultMarks(path, fault, hint && `${path}_hint`);
  const attributes = html`id="${path}" name="${path}"${isRequired && html` required`}${marks.attributes}`;
  return html`<div class="field"><label for="${path}">${nameText(name)}</label>
${marks.text}${control(attributes)}
${hint && html`<p class="hint" id="${path}_hint">${hint}</p>`}</div>`;
}

/** The field at fault says what is wrong with it, and has the focus. */
export function faultMarks(path: string, fault: Fault | undefined, hint: string | false = false) {
  const id = `${path}_fault`;
  if (fault?.field !== path) return { text: undefined, attributes: described([hint]) };
  const text = html`<p class="wrong" id="${id}">${fault.title}</p>`;
  return { text, attributes: html`${described([id, hint], true)} autofocus` };
}

export function box(name: string, isOn: boolean, text: string, help = '', fault?: Fault): Html {
  const marks = faultMarks(name, fault);
  return html`${marks.text}<label class="check"><input type="checkbox" id="${name}" name="${name}" value="yes"${isOn && html` checked`}${marks.attributes}><span>${text}${help && html` <span class="small">${help}</span>`}</span></label>`;
}

/** Several fields, below what they are about. */
export function set({ name, schema: { description = nameText(name) } }: Field, content: Html): Html {
  const isNamed = Object.hasOwn(words.names, name);
  return html`<fieldset><legend>${isNamed ? nameText(name) : description.replace(/\.$/, '')}</legend>${isNamed && html`<p class="hint">${description}</p>`}${content}</fieldset>`;
}

/** A field whose text means the value. */
export function written(
  write: (value: unknown) => string,
  read: (text: string) => unknown,
  hint: string,
  rows = 8,
): How {
  return {
    show: (field) =>
      labelled(
        field,
        (attributes) =>
          rows === 1
            ? html`<input ${attributes} value="${write(field.value)}">`
            : html`<textarea ${attributes} rows="${rows}" spellcheck="false">${write(field.value)}</textarea>`,
        hint,
      ),
    read: (form, { path }) => (form[path] === undefined ? undefined : read(form[path])),
  };
}

/** A list. If one is needed, an empty one is an empty list. */
export function list(write: (item: unknown) => string, read: (line: string) => unknown, hint: string): How {
  const how = written(
    (value) => ((value ?? []) as unknown[]).map(write).join('\n'),
    (text) => text.split('\n').flatMap((line) => (line.trim() ? [read(line.trim())] : [])),
    hint,
    3,
  );
  return { ...how, read: (form, field) => how.read(form, field) ?? (field.isRequired ? [] : undefined) };
}

export function select(
  options: (schema: Keywords) => readonly (readonly [value: string, text: string])[],
  read: How['read'],
): How {
  const option = (chosen: unknown, [value, text]: readonly [string, string]) =>
    html`<option value="${value}"${value === plain(chosen) && html` selected`}>${text}</option>`;
  return {
    show: (field) =>
      labelled(field, (attributes) => {
        const all = field.schema.default === undefined ? [['', words.default] as const] : [];
        return html`<select ${attributes}>${[...all, ...options(field.schema)].map((each) => option(field.value, each))}</select>`;
      }),
    read,
  };
}
