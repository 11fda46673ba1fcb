// Forms made from the schema of an object: one field for each member, and the object that a sent form describes.
import type { Schema } from '../../../schema.ts';
import { type Html, html } from '../parts/html.ts';
import type { Form } from '../parts/route.ts';
import { enConsole } from '../parts/texts/en-console.ts';
import { nameText } from './frame.ts';

const words = enConsole.object;

/** The keywords that decide how a member is entered. */
interface Keywords {
  readonly type?: string;
  readonly description?: string;
  readonly enum?: readonly string[];
  readonly items?: Keywords;
  readonly anyOf?: readonly Keywords[];
  readonly properties?: Readonly<Record<string, Keywords>>;
  readonly required?: readonly string[];
  readonly readOnly?: boolean;
  readonly writeOnly?: boolean;
}

/** Members that people enter. Of several forms of a member (`anyOf`), all members: the one that they share says which form it is. */
function membersOf(schema: Keywords): [name: string, member: Keywords][] {
  const variants = schema.anyOf ?? [schema];
  const members = new Map<string, Keywords>();
  for (const { properties = {} } of variants)
    for (const [name, member] of Object.entries(properties)) {
      const known = members.get(name);
      const choices = [...(known?.enum ?? []), ...(member.enum ?? [])];
      members.set(name, known ? { ...known, enum: choices, description: '' } : member);
    }
  return [...members].filter(([, { readOnly }]) => !readOnly);
}

function isGroup(schema: Keywords): boolean {
  return schema.properties !== undefined || schema.anyOf?.every(({ properties }) => properties) === true;
}

/** The names of all fields. */
export function fieldNames(schema: Schema, path = ''): string[] {
  return membersOf(schema as Keywords).flatMap(([name, member]) =>
    isGroup(member) ? fieldNames(member as Schema, `${path}${name}.`) : [path + name],
  );
}

export function fieldsFor(schema: Schema, value: unknown, path = ''): Html {
  const { required = [] } = schema as Keywords;
  const given = (value ?? {}) as Record<string, unknown>;
  return html`${membersOf(schema as Keywords).map(([name, member]) =>
    isGroup(member)
      ? html`<fieldset><legend>${nameText(name)}</legend>${member.description && html`<p class="hint">${member.description}</p>`}${fieldsFor(member as Schema, given[name], `${path}${name}.`)}</fieldset>`
      : field(path + name, name, member, given[name], required.includes(name)),
  )}`;
}

function field(path: string, name: string, schema: Keywords, value: unknown, isRequired: boolean): Html {
  const how = HOW[kindOf(schema, name)];
  const choices = schema.items?.enum?.join(', ');
  const hint = [schema.description, how.hint, choices].filter(Boolean).join(' ');
  return html`<div class="field"><label for="${path}">${nameText(name)}</label>
${how.show(html`id="${path}" name="${path}"${isRequired && html` required`}${hint && html` aria-describedby="${path}_hint"`}`, schema, value)}
${hint && html`<p class="hint" id="${path}_hint">${hint}</p>`}</div>`;
}

type Kind = 'text' | 'block' | 'number' | 'choice' | 'flag' | 'lines' | 'json' | 'password';

function kindOf({ type, enum: values, items, writeOnly }: Keywords, name: string): Kind {
  if (values) return 'choice';
  if (type === 'boolean') return 'flag';
  if (type === 'integer') return 'number';
  if (type === 'array') return items?.type === 'string' ? 'lines' : 'json';
  if (type !== 'string') return 'json';
  return writeOnly ? 'password' : BLOCKS.includes(name) ? 'block' : 'text';
}

/** Members that are longer than a line. */
const BLOCKS = ['pem', 'authorities', 'set'];

interface How {
  readonly hint?: string;
  readonly show: (attributes: Html, schema: Keywords, value: unknown) => Html;
  /** Undefined: the text means nothing of that kind. */
  readonly read: (text: string) => unknown;
}

function select(attributes: Html, values: readonly (readonly [value: string, text: string])[], chosen: unknown): Html {
  const option = ([value, text]: readonly [string, string]) =>
    html`<option value="${value}"${value === plain(chosen) && html` selected`}>${text}</option>`;
  return html`<select ${attributes}>${[['', words.default] as const, ...values].map(option)}</select>`;
}

const area = (attributes: Html, text: string) =>
  html`<textarea ${attributes} rows="4" spellcheck="false">${text}</textarea>`;
const asIs = (text: string) => text;

/** As a field has it. */
function plain(value: unknown): string {
  if (value === undefined) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

const HOW: Readonly<Record<Kind, How>> = {
  text: { show: (attributes, _, value) => html`<input ${attributes} value="${plain(value)}">`, read: asIs },
  password: {
    show: (attributes) => html`<input ${attributes} type="password" autocomplete="new-password">`,
    read: asIs,
  },
  block: {
    show: (attributes, _, value) => area(attributes, plain(value)),
    read: (text) => text.replaceAll('\r\n', '\n'),
  },
  number: {
    show: (attributes, _, value) =>
      html`<input ${attributes} inputmode="numeric" pattern="[0-9]*" value="${plain(value)}">`,
    read: (text) => (/^[0-9]{1,15}$/.test(text) ? Number(text) : text),
  },
  choice: {
    show: (attributes, { enum: values = [] }, value) =>
      select(
        attributes,
        values.map((each) => [each, each]),
        value,
      ),
    read: asIs,
  },
  flag: {
    show: (attributes, _, value) =>
      select(
        attributes,
        [
          ['true', words.yes],
          ['false', words.no],
        ],
        value,
      ),
    read: (text) => (text === 'true' || text === 'false' ? text === 'true' : text),
  },
  lines: {
    hint: words.lines,
    show: (attributes, _, value) => area(attributes, ((value ?? []) as string[]).join('\n')),
    read: (text) =>
      text
        .split('\n')
        .map((line) => line.trim())
        .filter(Boolean),
  },
  json: {
    hint: words.json,
    show: (attributes, _, value) => area(attributes, value === undefined ? '' : JSON.stringify(value, undefined, 2)),
    read: (text) => {
      try {
        return JSON.parse(text);
      } catch {
        return text;
      }
    },
  },
};

/** What a sent form describes. Whether that is an object of the schema, the act checks. */
export function readObject(schema: Schema, form: Form, path = ''): Record<string, unknown> {
  const entries = membersOf(schema as Keywords).flatMap(([name, member]): [string, unknown][] => {
    if (isGroup(member)) {
      const inner = variant(member, readObject(member as Schema, form, `${path}${name}.`));
      return Object.keys(inner).length > 0 ? [[name, inner]] : [];
    }
    const text = form[path + name];
    const isList = member.type === 'array' && (schema as Keywords).required?.includes(name);
    if (text === undefined) return isList ? [[name, []]] : [];
    return [[name, HOW[kindOf(member, name)].read(text)]];
  });
  return Object.fromEntries(entries);
}

/** Only the members of the form that was chosen; its lists are there even if they are empty. */
function variant({ anyOf }: Keywords, read: Record<string, unknown>): Record<string, unknown> {
  const chosen = anyOf?.find(({ properties = {} }) =>
    Object.entries(properties).some(([name, { enum: values }]) => values?.includes(String(read[name]))),
  );
  if (!anyOf) return read;
  if (!chosen) return {};
  return Object.fromEntries(
    Object.entries(chosen.properties ?? {}).map(([name, { type }]) => [
      name,
      read[name] ?? (type === 'array' ? [] : undefined),
    ]),
  );
}
