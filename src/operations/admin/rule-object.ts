// A rule of a token issuer, as documents publish it. assertion-rules.ts reads rules, and says what is wrong with one.
import { CLAIM_POINTER, TEMPLATE, TEMPLATE_OF_ONE } from '../../core/claims.ts';
import { CLIENT_ID } from '../../core/integration.ts';
import { described, list, type Schema } from '../../schema.ts';
import { ABOUT_NOBODY, DIRECTORY_NAMES, MOST_CONDITIONS, MOST_RULES, MOST_VALUES } from './assertion-rules.ts';
import { CLOSED, entered, form, having } from './members.ts';
import { COMPARED_TEXT, DIRECTORY } from './text-forms.ts';

const VALUE = form(COMPARED_TEXT, 'rule-malformed');

const like = { ...form(COMPARED_TEXT, 'rule-malformed', 'A pattern: * stands for any text.') };
const TEST = {
  description: 'The value of the claim, several of which one must match, or a pattern.',
  anyOf: [
    VALUE,
    list(VALUE, { minItems: 1, maxItems: MOST_VALUES }),
    { type: 'object', properties: { like }, required: ['like'], ...CLOSED },
  ],
};

/** A condition that excludes nobody: on a claim that is equal in all assertions, or by a pattern that begins with a star. */
const EXCLUDES_NOBODY = {
  patternProperties: {
    [`^(?!${ABOUT_NOBODY.source.slice(1)})`]: { type: 'object', properties: { like: { pattern: '^\\*' } } },
  },
};

const WHEN = {
  type: 'object',
  description: 'By claim, as a JSON Pointer such as /repository: all must hold, and one must exclude somebody.',
  minProperties: 1,
  maxProperties: MOST_CONDITIONS,
  propertyNames: { pattern: CLAIM_POINTER.source },
  additionalProperties: TEST,
  not: EXCLUDES_NOBODY,
};

const RULE = {
  type: 'object',
  title: 'AssertionRule',
  'x-refusal': 'rule-malformed',
  required: ['when'],
  properties: {
    when: WHEN,
    identity: form(TEMPLATE, 'rule-malformed', 'Claims in braces: what the identity is made from. Default: {/sub}.'),
    directory: { type: 'string', enum: DIRECTORY_NAMES, description: 'What identity is, in a directory.' },
    directories: {
      ...list(form(DIRECTORY, 'rule-malformed'), { minItems: 1 }),
      description: 'Labels of the directories to look in.',
    },
    integrations: {
      ...list(form(CLIENT_ID, 'rule-malformed'), { minItems: 1 }),
      description: 'The only integrations that it may use.',
    },
  },
  dependentRequired: { directories: ['directory'] },
  // Two claims could divide the same text in two ways.
  if: having('directory'),
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
  then: { properties: { identity: { pattern: TEMPLATE_OF_ONE.source } } },
  ...CLOSED,
};

export const RulesObject: Schema<readonly unknown[]> = entered(
  'rules',
  described({
    type: 'array',
    items: RULE,
    minItems: 1,
    maxItems: MOST_RULES,
    'x-refusal': 'rule-malformed',
    description: 'Which workloads it may vouch for: docs/workloads.md.',
  }),
);
