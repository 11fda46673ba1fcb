// Forms made from a schema: the fields of each member, and the object that a sent form describes.
import { formatDuration, parseDuration } from '../../../core/duration.ts';
import { type Html, html } from '../parts/html.ts';
import type { Form } from '../parts/route.ts';
import { enConsole } from '../parts/texts/en-console.ts';
import type { Fault } from './fault.ts';
import { box, type How, labelled, list, plain, select, set, written } from './field.ts';
import { nameText, parseJson } from './frame.ts';
import { readRules, writeRules } from './rules-text.ts';
import type { Keywords } from './things.ts';

const words = enConsole.form;

/** Members that people enter. `secrets`: those that are never shown, which a preview must not repeat. */
function membersOf({ properties = {} }: Keywords, secrets?: boolean): [name: string, schema: Keywords][] {
  return Object.entries(properties).filter(
    ([, { readOnly, writeOnly = false }]) => !readOnly && (secrets === undefined || secrets === writeOnly),
  );
}

function fieldOf(schema: Keywords, [name, member]: [string, Keywords], path: string) {
  return { path: path + name, name, schema: member, isRequired: schema.required?.includes(name) === true };
}

export function fieldNames(schema: Keywords, path = ''): string[] {
  return membersOf(schema).flatMap(([name, member]) => [
    ...(HOW[kindOf(member, name)].names?.(path + name, member) ?? [path + name]),
  ]);
}

type Given = Readonly<Record<string, unknown>>;

/** In a part that is folded away or switched off, no field is required: a browser would not send the form, and not say why. */
const optional = (schema: Keywords): Keywords => ({ ...schema, required: [] });

function fieldsOf(
  schema: Keywords,
  value: unknown,
  path: string,
  fault: Fault | undefined,
  only = membersOf(schema, false),
): Html {
  const given = (value ?? {}) as Given;
  return html`${only.map(([name, member]) => {
    const usual = member.default ?? member['x-initial'];
    const field = { ...fieldOf(schema, [name, member], path), value: given[name] ?? usual, fault };
    const { note } = member;
    return html`${note && html`<p class="notice" id="${name}_noted">${note}</p>`}${HOW[kindOf(member, name)].show(field)}`;
  })}`;
}

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
${rest.length > 0 && html`<details class="group"${isOpen && html` open`}><summary>${words.more}</summary><div class="fields">${fieldsOf(optional(schema), value, '', fault, rest)}</div></details>`}`;
}

/** The names of the secrets of a thing, and their fields. They are asked for in the last step. */
export function secretsOf(
  schema: Keywords,
  fault?: Fault,
): { readonly names: readonly string[]; readonly fields: Html } {
  const secrets = membersOf(schema, true);
  return { names: secrets.map(([name]) => name), fields: fieldsOf(schema, {}, '', fault, secrets) };
}

/** What a sent form describes. Whether that is an object of the schema, the act checks. */
export function readObject(schema: Keywords, form: Form, path = ''): Record<string, unknown> {
  const read = membersOf(schema).map(([name, member]): [string, unknown] => [
    name,
    HOW[kindOf(member, name)].read(form, fieldOf(schema, [name, member], path)),
  ]);
  return Object.fromEntries(read.filter(([, value]) => value !== undefined));
}

type Line = 'text' | 'block' | 'password' | 'duration' | 'lines' | 'rules' | 'json' | 'rows';
type Kind = Line | 'choice' | 'choices' | 'flag' | 'unsure' | 'group' | 'switched' | 'variants';

function kindOf({ type, format, enum: values, items, anyOf, properties, ...notes }: Keywords, name: string): Kind {
  if (anyOf) return anyOf.every((each) => each.properties) ? 'variants' : 'switched';
  if (properties) return 'group';
  if (values) return 'choice';
  if (type === 'boolean') return (notes.default ?? notes['x-initial']) === undefined ? 'unsure' : 'flag';
  if (format === 'seconds') return 'duration';
  if (name === 'rules') return 'rules';
  if (items?.properties && items.additionalProperties === false) return 'rows';
  if (items?.enum) return 'choices';
  if (type === 'array') return items?.type === 'string' ? 'lines' : 'json';
  return notes.writeOnly ? 'password' : BLOCKS.includes(name) ? 'block' : 'text';
}

/** Members that are longer than a line. */
const BLOCKS = ['pem', 'authorities', 'set', 'file'];

const asIs = (text: string) => text;

const HOW: Readonly<Record<Kind, How>> = {
  text: written(plain, asIs, '', 1),
  block: written(plain, (text) => text.replaceAll('\r\n', '\n'), ''),
  password: {
    show: (field) =>
      labelled(field, (attributes) => html`<input ${attributes} type="password" autocomplete="new-password">`),
    read: (form, { path }) => form[path],
  },
  duration: written(
    (value) => (typeof value === 'number' ? formatDuration(value) : plain(value)),
    (text) => parseDuration(text) ?? text,
    words.duration,
    1,
  ),
  lines: list(plain, asIs, words.lines),
  rules: {
    ...written(writeRules, readRules, words.rules, 8),
    read: (form, { path }) => readRules(form[path] ?? ''),
  },
  json: written((value) => (value === undefined ? '' : JSON.stringify(value, undefined, 2)), parseJson, words.json, 12),
  choice: select(
    ({ enum: values = [] }) => values.map((each) => [String(each), String(each)]),
    (form, { path }) => form[path],
  ),
  unsure: select(
    () => [
      ['true', words.yes],
      ['false', words.no],
    ],
    (form, { path }) => (form[path] === undefined ? undefined : form[path] === 'true'),
  ),
  flag: {
    show: ({ path, name, schema, value, fault }) =>
      // a box is never left out
      box(path, value === true, nameText(name), schema.description?.replace(/ Left out: .*/, ''), fault),
    read: (form, { path }) => form[path] === 'yes',
  },
  /** Objects of texts, one per line. */
  rows: {
    show: (field) => {
      const names = Object.keys(field.schema.items?.properties ?? {});
      const rows = (field.value ?? []) as readonly Given[];
      const lines = rows.map((row) => names.map((name) => plain(row[name])).join(' '));
      return HOW.lines.show({
        ...field,
        value: lines,
        schema: { description: `${field.schema.description} ${words.rows(names)}` },
      });
    },
    read: (form, field) => {
      const names = Object.keys(field.schema.items?.properties ?? {});
      const lines = HOW.lines.read(form, field) as readonly string[] | undefined;
      const row = (line: string) => line.split(/[\s=]+/).map((text, at) => [names[at] ?? words.tooMuch, text]);
      return lines?.map((line) => Object.fromEntries(row(line)));
    },
  },
  /** Several of a few. */
  choices: {
    names: (path, { items }) => (items?.enum ?? []).map((each) => `${path}.${each}`),
    show: (field) => {
      const { path, schema, value, fault } = field;
      const chosen = (value ?? []) as readonly unknown[];
      const each = (choice: string | boolean) =>
        box(`${path}.${choice}`, chosen.includes(choice), String(choice), '', fault);
      return set(field, html`<div class="boxes">${schema.items?.enum?.map(each)}</div>`);
    },
    read: (form, { path, schema }) => schema.items?.enum?.filter((each) => form[`${path}.${each}`] === 'yes'),
  },
  group: {
    names: (path, schema) => fieldNames(schema, `${path}.`),
    show: (field) => set(field, fieldsOf(field.schema, field.value, `${field.path}.`, field.fault)),
    read: (form, { path, schema }) => {
      const read = readObject(schema, form, `${path}.`);
      return Object.keys(read).length > 0 ? read : undefined;
    },
  },
  /** On, with members of its own, or off. */
  switched: {
    names: (path, { anyOf: [on = {}] = [] }) => [path, ...fieldNames(on, `${path}.`)],
    show: ({ path, name, schema, value, fault }) => {
      const [on = {}] = schema.anyOf ?? [];
      const isOn = value !== undefined && value !== false;
      return html`<div class="variant">${box(path, isOn, nameText(name), schema.description, fault)}<div class="fields">${fieldsOf(optional(on), isOn ? value : {}, `${path}.`, fault)}</div></div>`;
    },
    read: (form, { path, schema }) => form[path] === 'yes' && readObject(schema.anyOf?.[0] ?? {}, form, `${path}.`),
  },
  /** One of several forms, each named by its only choice. */
  variants: {
    names: (path, { anyOf = [] }) => [...new Set(anyOf.flatMap((each) => fieldNames(each, `${path}.`)))],
    show: (field) => {
      const { path, schema, value, fault } = field;
      const variant = (each: Keywords) => {
        const [key, choice, { description }, others] = tagOf(each);
        const isOn = (value as Given | undefined)?.[key] === choice;
        return html`<div class="variant"><label class="check"><input type="radio" name="${path}.${key}" value="${choice}"${isOn && html` checked`}>${description}</label>
${others.length > 0 && html`<div class="fields">${fieldsOf(optional(each), value, `${path}.`, fault, others)}</div>`}</div>`;
      };
      return set(field, html`${schema.anyOf?.map(variant)}`);
    },
    read: (form, { path, schema }) => {
      const chosen = schema.anyOf?.find((each) => form[`${path}.${tagOf(each)[0]}`] === tagOf(each)[1]);
      return chosen && readObject(chosen, form, `${path}.`);
    },
  },
};

/** The member by which a variant is recognised, with its value; and its other members. */
function tagOf(variant: Keywords) {
  const members = membersOf(variant);
  const [key, schema] = members.find(([, { enum: values }]) => values?.length === 1) ?? ['', {}];
  return [key, String(schema.enum?.[0]), schema, members.filter(([name]) => name !== key)] as const;
}
