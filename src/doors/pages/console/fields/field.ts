// What all fields of forms have: a label, a control, how to fill it in, and what is wrong with it.
import { type Html, html } from '../../parts/html.ts';
import { described } from '../../parts/layout.ts';
import type { Form } from '../../parts/route.ts';
import { enConsole } from '../../parts/texts/en-console.ts';
import type { Fault } from '../fault.ts';
import { nameText } from '../frame.ts';
import type { Keywords } from '../things.ts';

const words = enConsole.form;

/** The place of a member in a form. */
export interface Place {
  /** The names of the members that lead to it, with dots: the name of its control. */
  readonly path: string;
  readonly name: string;
  readonly schema: Keywords;
  readonly isRequired: boolean;
}

export interface Field extends Place {
  readonly value: unknown;
  /** What is wrong with the form: with this field, if it has its path. */
  readonly fault: Fault | undefined;
}

/** One sort of field: how a member is shown, and how it is read again. */
export interface Sort {
  readonly show: (field: Field, members: Members) => Html;
  /** Undefined: nothing was entered. What means nothing of that sort stays as it is: the act says what is wrong with it. */
  readonly read: (form: Form, place: Place, members: Members) => unknown;
  /** Of its controls, if it has not just one. */
  readonly names?: (place: Place, members: Members) => readonly string[];
}

/** The members of a member. Their paths begin with `path`. */
export interface Members {
  readonly show: (schema: Keywords, value: unknown, path: string, fault: Fault | undefined) => Html;
  readonly read: (schema: Keywords, form: Form, path: string) => Readonly<Record<string, unknown>>;
  readonly names: (schema: Keywords, path: string) => readonly string[];
}

/** In a part that is folded away or switched off, no field is required: a browser would not send the form, and not say why. */
export function optional(schema: Keywords): Keywords {
  return { ...schema, required: [] };
}

/** As a control has it. */
export function plain(value: unknown): string {
  if (value === undefined) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** A label, the control, and how to fill it in. */
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

export function textArea(field: Field, text: string, rows: number, hint = ''): Html {
  const control = (attributes: Html) =>
    html`<textarea ${attributes} rows="${rows}" spellcheck="false">${text}</textarea>`;
  return labelled(field, control, hint);
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
