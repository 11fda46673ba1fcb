// A member with members: all of them, or one of several variants.
import { html } from '../../parts/html.ts';
import type { Keywords } from '../things.ts';
import { optional, type Sort, set } from './field.ts';

export const group: Sort = {
  show: (field, members) => set(field, members.show(field.schema, field.value, `${field.path}.`, field.fault)),
  read: (form, { path, schema }, members) => {
    const read = members.read(schema, form, `${path}.`);
    return Object.keys(read).length > 0 ? read : undefined;
  },
  names: ({ path, schema }, members) => members.names(schema, `${path}.`),
};

/** Each has a member with only one value, by which it is chosen. */
export const variants: Sort = {
  show: (field, members) => {
    const { path, schema, value, fault } = field;
    const variant = (each: Keywords) => {
      const { key, only, description, others } = tagOf(each);
      const isOn = (value as Readonly<Record<string, unknown>> | undefined)?.[key] === only;
      const fields = members.show(optional(others), value, `${path}.`, fault);
      return html`<div class="variant"><label class="check"><input type="radio" name="${path}.${key}" value="${only}"${isOn && html` checked`}>${description}</label>
${Object.keys(others.properties ?? {}).length > 0 && html`<div class="fields">${fields}</div>`}</div>`;
    };
    return set(field, html`${schema.anyOf?.map(variant)}`);
  },
  read: (form, { path, schema }, members) => {
    const isChosen = (each: Keywords) => form[`${path}.${tagOf(each).key}`] === tagOf(each).only;
    const chosen = schema.anyOf?.find(isChosen);
    return chosen && members.read(chosen, form, `${path}.`);
  },
  names: ({ path, schema: { anyOf = [] } }, members) => [
    ...new Set(anyOf.flatMap((each) => members.names(each, `${path}.`))),
  ],
};

/** The member by which a variant is recognised, and the variant without it. */
function tagOf(variant: Keywords) {
  const all = Object.entries(variant.properties ?? {});
  const [key, { enum: values, description }] = all.find(([, schema]) => schema.enum?.length === 1) ?? ['', {}];
  const others = { ...variant, properties: Object.fromEntries(all.filter(([name]) => name !== key)) };
  return { key, only: String(values?.[0]), description, others };
}
