// What is on or off, and several of a few values.
import { html } from '../../parts/html.ts';
import { nameText } from '../frame.ts';
import { box, optional, type Sort, set } from './field.ts';

export const checkbox: Sort = {
  show: ({ path, name, schema, value, fault }) => {
    const help = schema.description?.replace(/ Left out: .*/, ''); // a box is never left out
    return box(path, value === true, nameText(name), help, fault);
  },
  read: (form, { path }) => form[path] === 'yes',
};

export const checkboxes: Sort = {
  show: (field) => {
    const { path, schema, value, fault } = field;
    const chosen = (value ?? []) as readonly unknown[];
    const each = (choice: string | boolean) =>
      box(`${path}.${choice}`, chosen.includes(choice), String(choice), '', fault);
    return set(field, html`<div class="boxes">${schema.items?.enum?.map(each)}</div>`);
  },
  read: (form, { path, schema }) => schema.items?.enum?.filter((each) => form[`${path}.${each}`] === 'yes'),
  names: ({ path, schema }) => (schema.items?.enum ?? []).map((each) => `${path}.${each}`),
};

/** Off, or on with members of its own. */
export const switched: Sort = {
  show: ({ path, name, schema, value, fault }, members) => {
    const [on = {}] = schema.anyOf ?? [];
    const isOn = value !== undefined && value !== false;
    const fields = members.show(optional(on), isOn ? value : {}, `${path}.`, fault);
    return html`<div class="variant">${box(path, isOn, nameText(name), schema.description, fault)}<div class="fields">${fields}</div></div>`;
  },
  read: (form, { path, schema }, members) =>
    form[path] === 'yes' && members.read(schema.anyOf?.[0] ?? {}, form, `${path}.`),
  names: ({ path, schema }, members) => [path, ...members.names(schema.anyOf?.[0] ?? {}, `${path}.`)],
};
