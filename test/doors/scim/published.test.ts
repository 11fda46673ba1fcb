// What /Schemas of the scim door says of attributes (RFC 7643 7) is what it takes.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Shape } from '../../e2e/schema-judge.ts';
import { type Walk, walk } from '../../e2e/schema-walk.ts';
import type { TestService } from '../../e2e/service.ts';
import { type Scim, scimAt, secretFor, startPushed } from './pushing-service.ts';

interface Attribute {
  readonly name: string;
  readonly type: 'string' | 'boolean' | 'complex' | 'reference';
  readonly description: string;
  readonly multiValued: boolean;
  readonly required: boolean;
  readonly mutability: 'readWrite' | 'immutable' | 'readOnly';
  readonly subAttributes?: readonly Attribute[];
}

let service: TestService;
let okta: Scim;
let members: object[];
before(async () => {
  service = await startPushed();
  okta = scimAt(service, 'okta', await secretFor(service, 'okta-scim'));
  const { body } = await okta.send('POST', '/Users', { userName: 'member', externalId: 'member', active: true });
  members = [{ value: body.id }];
});
after(() => service.stop());

/** The form of a name is in its description, and members must exist. */
const ELSEWHERE = [
  /characters that cannot be printed, or spaces around it/,
  /attribute members is|no user of this directory/,
];
/** Entra ID sends flags as texts, and an empty one is as null, which is as absent (RFC 7643 2.5). */
const LENIENT = [/(?:active|primary): accepts "(?:true|false)?"$/i, /: accepts (?:null|"")$/];
const UNEXERCISED: string[] = [];

/** RFC 7643 2.5: null is as absent. SCIM has no keyword for lengths: the description says them. */
function shapeOf(attributes: readonly Attribute[]): Shape {
  const sent = attributes.filter(({ mutability }) => mutability !== 'readOnly');
  const required = sent.filter((each) => each.required).map(({ name }) => name);
  return {
    type: 'object',
    required,
    properties: Object.fromEntries(sent.map((each) => [each.name, shapeOfOne(each)])),
  };
}

function shapeOfOne({ type, description, multiValued, subAttributes = [] }: Attribute): Shape {
  const [, least, most] = /(?:(\d) to|at most) (\d+) characters/.exec(description) ?? [];
  const [, many] = /at most (\d+)\.$/.exec(description) ?? [];
  const text = { type: 'string', ...(least && { minLength: Number(least) }), ...(most && { maxLength: Number(most) }) };
  const kinds = { string: text, reference: text, boolean: { type: 'boolean' }, complex: shapeOf(subAttributes) };
  if (!multiValued) return kinds[type];
  return { type: 'array', items: kinds[type], ...(many && { maxItems: Number(many) }) };
}

test('the scim door takes what its published schemas allow, and nothing else', async () => {
  const { Resources } = (await okta.send('GET', '/Schemas')).body as never as {
    Resources: { name: string; attributes: Attribute[] }[];
  };
  let count = 0;
  const walks: Walk[] = [];
  for (const { name, attributes } of Resources) {
    const base = {
      [name === 'User' ? 'userName' : 'displayName']: 'x',
      [name === 'Group' ? 'members' : 'emails']: members,
    };
    const refusal = async (given: object) => {
      count += 1;
      const { status, body } = await okta.send('POST', `/${name}s`, { externalId: `${count}`, ...given });
      if (status === 201) await okta.send('DELETE', `/${name}s/${body.id}`);
      return status === 201 ? undefined : `${status} ${body['detail']}`;
    };
    walks.push(await walk({ name, schema: shapeOf(attributes), base, refusal, elsewhere: ELSEWHERE }, 'few'));
  }
  const wrong = walks.flatMap((each) => each.wrong);
  assert.deepEqual(
    wrong.filter((line) => !LENIENT.some((rule) => rule.test(line))),
    [],
  );
  assert.deepEqual(
    walks.flatMap(({ unexercised }) => unexercised),
    UNEXERCISED,
  );
  const { length } = walks.flatMap(({ exercised }) => exercised);
  assert.ok(length >= 24, `${length}`);
});
