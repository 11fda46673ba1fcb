// Every answer of the admin door is as its OpenAPI document says, and has no member that the document does not have.
import assert from 'node:assert/strict';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { adminDocument } from '../../src/doors/admin/openapi.ts';
import type { OpenapiOperation } from '../../src/doors/openapi-document.ts';
import type { Answer } from './caller.ts';

const { paths } = adminDocument({ publicUrl: 'https://tokens.example', version: '0' });
const OPERATIONS = Object.entries(paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({
    method: method.toUpperCase(),
    path: new RegExp(`^${path.slice('/admin/v1'.length).replaceAll(/\{\w+\}/g, '[^/]+')}$`),
    operation,
  })),
);
const ajv = new Ajv2020({ strict: false, validateFormats: false });
const validators = new Map<string, ValidateFunction>();

export function assertDocumented(method: string, path: string, { status, headers, json, text }: Answer): void {
  const asked = path.split('?')[0] ?? '';
  // A path without a name is a path of its own.
  const known = OPERATIONS.filter((each) => each.method === method && each.path.test(asked));
  const { operation } = known.find(({ path: exact }) => !exact.source.includes('[^/]+')) ?? known[0] ?? {};
  if (!operation || text === '') return;
  const type = String(headers['content-type']).split(';')[0] ?? '';
  const validate = validatorOf(operation, status, type);
  assert.ok(validate, `${operation.operationId} does not document ${status} ${type}`);
  const isSo = validate(json);
  assert.ok(isSo, `${operation.operationId} ${status}: ${ajv.errorsText(validate.errors)}: ${text.slice(0, 500)}`);
}

function validatorOf({ operationId, responses }: OpenapiOperation, status: number, type: string) {
  const name = `${operationId} ${status} ${type}`;
  const schema = responses[status]?.content?.[type]?.schema;
  const validate = validators.get(name) ?? (schema && ajv.compile(closed(schema) as object));
  if (validate) validators.set(name, validate);
  return validate;
}

/** Objects have the documented members only. */
function closed(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(closed);
  if (typeof schema !== 'object' || schema === null) return schema;
  const parts = Object.fromEntries(Object.entries(schema).map(([name, part]) => [name, closed(part)]));
  return parts['type'] === 'object' && parts['properties'] ? { additionalProperties: false, ...parts } : parts;
}
