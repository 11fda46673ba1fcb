// Forms made from a schema: a field for each member, and the object that a sent form describes. Each sort of field has its
// HTML and its reader in fields/.
import type { Entered } from '../../../operations/admin/members.ts';
import { type Html, html } from '../parts/html.ts';
import type { Form } from '../parts/route.ts';
import { enConsole } from '../parts/texts/en-console.ts';
import type { Fault } from './fault.ts';
import { checkbox, checkboxes, switched } from './fields/checkbox.ts';
import { choice, yesOrNo } from './fields/choice.ts';
import { type Members, optional, type Place, type Sort } from './fields/field.ts';
import { group, variants } from './fields/group.ts';
import { json, lines, rows, rules } from './fields/lines.ts';
import { duration, longText, password, text } from './fields/text.ts';
import type { Keywords } from './things.ts';

/** What a member says itself, where its type does not. */
const ENTERED: Readonly<Record<Entered, Sort>> = { longText, rows, rules };

function sortOf({ type, format, enum: values, items, anyOf, properties, ...notes }: Keywords): Sort {
  if (notes['x-entered']) return ENTERED[notes['x-entered']];
  if (anyOf) return anyOf.every((each) => each.properties) ? variants : switched;
  if (properties) return group;
  if (values) return choice;
  if (type === 'boolean') return (notes.default ?? notes['x-initial']) === undefined ? yesOrNo : checkbox;
  if (format === 'seconds') return duration;
  if (items?.enum) return checkboxes;
  if (type === 'array') return items?.type === 'string' ? lines : json;
  return notes.writeOnly ? password : text;
}

type Member = readonly [name: string, schema: Keywords];

/** Members that people enter. `secrets`: those that are never shown, which a preview must not repeat. */
function membersOf({ properties = {} }: Keywords, secrets?: boolean): Member[] {
  return Object.entries(properties).filter(
    ([, { readOnly, writeOnly = false }]) => !readOnly && (secrets === undefined || secrets === writeOnly),
  );
}

function placeOf(schema: Keywords, [name, member]: Member, path: string): Place {
  return { path: path + name, name, schema: member, isRequired: schema.required?.includes(name) === true };
}

export function fieldNames(schema: Keywords, path = ''): string[] {
  return membersOf(schema).flatMap((member) => {
    const place = placeOf(schema, member, path);
    return sortOf(place.schema).names?.(place, MEMBERS) ?? [place.path];
  });
}

function fieldsOf(
  schema: Keywords,
  value: unknown,
  path: string,
  fault: Fault | undefined,
  only = membersOf(schema, false),
): Html {
  const given = (value ?? {}) as Readonly<Record<string, unknown>>;
  return html`${only.map(([name, member]) => {
    const usual = member.default ?? member['x-initial'];
    const field = { ...placeOf(schema, [name, member], path), value: given[name] ?? usual, fault };
    const { note } = member;
    return html`${note && html`<p class="notice" id="${name}_noted">${note}</p>`}${sortOf(member).show(field, MEMBERS)}`;
  })}`;
}

/** What a sent form describes. Whether that is an object of the schema, the act checks. */
export function readObject(schema: Keywords, form: Form, path = ''): Record<string, unknown> {
  const read = membersOf(schema).map((member): [string, unknown] => {
    const place = placeOf(schema, member, path);
    return [place.name, sortOf(place.schema).read(form, place, MEMBERS)];
  });
  return Object.fromEntries(read.filter(([, value]) => value !== undefined));
}

const MEMBERS: Members = { show: fieldsOf, read: readObject, names: fieldNames };

/** All fields but secrets. `groups`: titles, each with the members below it; the others are folded away. */
export function fieldsFor(
  schema: Keywords,
  value: unknown,
  groups: Readonly<Record<string, string>> = {},
  fault?: Fault,
): Html {
  const members = membersOf(schema, false);
  const named = Object.values(groups).flatMap((names) => names.split(' '));
  const rest = members.filter(([name]) => !named.includes(name));
  const group = ([title, names]: [string, string]) => {
    const own = names.split(' ').flatMap((name) => members.filter(([each]) => each === name));
    return html`<fieldset class="group"><legend>${title}</legend>${fieldsOf(schema, value, '', fault, own)}</fieldset>`;
  };
  if (named.length === 0) return fieldsOf(schema, value, '', fault);
  const isOpen = rest.some(([name]) => fault?.field?.split('.')[0] === name);
  return html`${Object.entries(groups).map(group)}
${rest.length > 0 && html`<details class="group"${isOpen && html` open`}><summary>${enConsole.form.more}</summary><div class="fields">${fieldsOf(optional(schema), value, '', fault, rest)}</div></details>`}`;
}

/** The names of the secrets of a thing, and their fields. They are asked for in the last step. */
export function secretsOf(
  schema: Keywords,
  fault?: Fault,
): { readonly names: readonly string[]; readonly fields: Html } {
  const secrets = membersOf(schema, true);
  return { names: secrets.map(([name]) => name), fields: fieldsOf(schema, {}, '', fault, secrets) };
}
