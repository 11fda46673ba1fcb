// Who may see and do what in the console, as test/permissions.md has it; nobody does more by hand-made requests either.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Identity } from '../../../src/core/identity.ts';
import type { Proof } from '../../../src/core/person.ts';
import { epochSeconds } from '../../../src/core/time.ts';
import { identities } from '../../../src/store/tables/identities.ts';
import { integrations } from '../../../src/store/tables/integrations.ts';
import { put } from '../../node.ts';
import { rowsBelow, servedBy } from '../../permission-table.ts';
import { CLIENT } from '../../samples.ts';
import { ADA, BOB } from '../pages/running-service.ts';
import { type Seen, Visitor } from '../pages/visitor.ts';
import { ConsoleScene, EVIL_ID, ORDERS_SYNC, PEOPLE } from './scene.ts';

const PEOPLE_ROWS = rowsBelow('### Who looks and acts', ['Signed in', 'Looks at', 'Acts on', 'Is told otherwise']);
const ROWS = rowsBelow('### What each page and form needs', ['Path', 'Page', 'Form', 'An owner may']);
type Row = (typeof ROWS)[number];
type Who = (typeof PEOPLE_ROWS)[number];

const NOTHING = 'no-such-thing';
const ROLES: Readonly<Record<string, Identity>> = {
  'somebody without a role': PEOPLE.nina,
  'a viewer': PEOPLE.vera,
  'an operator': PEOPLE.olga,
  'an owner': PEOPLE.shaun,
  'an owner and viewer': { ...ADA, groups: ['shop-team', 'viewers'] },
  'an owner and operator': { ...BOB, groups: ['shop-team', 'operators'] },
};

let scene: ConsoleScene;
const visitors = new Map<string, Visitor>();
const grantOf = new Map<string, string>();

/** `an operator, by passkey, 600 s ago` */
async function visitorOf(who: string): Promise<Visitor> {
  const [role = '', by, ago = '0'] = who.split(', ');
  if (role === 'nobody') return new Visitor(scene.service);
  const person = ROLES[role] ?? assert.fail(role);
  await put(scene.store, identities, person);
  return scene.visitor(person, by?.replace('by ', '') as Proof['by'], Number.parseInt(ago, 10));
}

before(async () => {
  scene = await ConsoleScene.open([], epochSeconds(1_800_000_000));
  for (const [at, clientId] of [CLIENT, EVIL_ID].entries())
    grantOf.set(clientId, (await scene.grant(at + 1, 'nina', { clientId })).id);
  for (const { 'Signed in': who } of PEOPLE_ROWS) {
    const visitor = await visitorOf(who);
    await visitor.get('/account'); // a form token
    visitors.set(who, visitor);
  }
});
after(() => scene?.stop());

const WORDS: readonly (readonly [RegExp, string])[] = [
  [/name="go_on"/, 'sign in'],
  [/This page is out of date/, 'out of date'],
  [/The console is not open to you/, 'not open'],
  [/You may look, but change nothing/, 'only look'],
  [/since it widens the integration/, 'not theirs'],
];

function toldBy({ status, text }: Seen): string {
  const told = WORDS.find(([words]) => words.test(text))?.[1];
  return told ?? (status === 403 ? 'not theirs' : status < 500 && status !== 429 ? 'done' : `${status}`);
}

type State = 'enabled' | 'by an owner' | 'by an operator' | 'widened';
interface Case {
  readonly who: Who;
  readonly method: 'Page' | 'Form';
  readonly target: string;
  readonly state: State;
}

/** What passes the checks of the form, so that who may not send it is refused for that. */
const FIELDS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  search: { q: 'nina' },
  explain: { text: 'a.b.c' },
  change: { scope: 'orders:read', owners: 'shop-team' },
  'key-remove': { key: 'x' },
};

async function ask({ Path }: Row, { who, method, target, state }: Case): Promise<string> {
  const id = Path.includes('/grants/') ? (grantOf.get(target) ?? target) : target;
  const integration = /grants(?:\/end)?$/.test(Path) ? { integration: target } : undefined;
  const path = Path.replace('figures/{id}', 'figures/requests').replace('{id}', id);
  const visitor = visitors.get(who['Signed in']) ?? assert.fail();
  if (method === 'Page') return toldBy(await visitor.get(`${path}?${new URLSearchParams(integration)}`));
  const isByOwner = state === 'by an owner' && { disabledByOwner: true as const };
  const enabled = state === 'enabled' || state === 'widened';
  await put(scene.store, integrations, { ...ORDERS_SYNC, enabled, ...isByOwner });
  const last = await newestEvent();
  const step = who['Acts on'] === 'everything' ? 'check' : 'do';
  const fields = { ...FIELDS[Path.split('/').at(-1) ?? ''], ...integration, step };
  const told = toldBy(await visitor.post(path, state === 'widened' ? { ...fields, scope: 'other:all' } : fields));
  return told !== 'done' && (await newestEvent()) !== last ? `${told}, but it is done` : told;
}

async function newestEvent(): Promise<number | undefined> {
  return (await scene.store.newestEvents({ count: 1 }))[0]?.sequence;
}

/** Owners ask for theirs, for what is not, and for what does not exist; viewers may know that. */
const TARGETS: Readonly<Record<string, readonly string[]>> = {
  'an owner': [CLIENT, EVIL_ID, NOTHING],
  'an owner and viewer': [CLIENT, EVIL_ID],
};

/** Everything that is asked for a row. */
function casesOf(row: Row): Case[] {
  return PEOPLE_ROWS.flatMap((who) =>
    (['Page', 'Form'] as const)
      .filter((method) => row[method] !== '')
      .flatMap((method) => {
        const owners = TARGETS[who['Signed in'].split(',')[0] ?? ''];
        const targets = /\{id\}|grants/.test(row.Path) ? (owners ?? [NOTHING]) : [NOTHING];
        const cases: Case[] = targets.map((target) => ({ who, method, target, state: 'enabled' }));
        const states: State[] = row.Path.endsWith('/integrations/{id}/enable') ? ['by an owner', 'by an operator'] : [];
        if (row.Path.endsWith('/integrations/{id}/change')) states.push('widened');
        const more = owners && method === 'Form' ? states : [];
        return [...cases, ...more.map((state) => ({ who, method, target: CLIENT, state }))];
      }),
  );
}

/** What the table says is answered. */
function expected(row: Row, { who, method, target, state }: Case): string {
  const needs = row[method];
  if (needs === 'anybody') return 'sign in';
  const reach = who[needs === 'look' ? 'Looks at' : 'Acts on'];
  if (who['Signed in'] === 'nobody' && method === 'Form') return 'out of date';
  if (reach === 'nothing') return who['Is told otherwise'];
  return reach === 'everything' || mayOwner(row['An owner may'], target, state) ? 'done' : 'not theirs';
}

function mayOwner(words: string, target: string, state: State): boolean {
  if (words === 'no') return false;
  if (words === 'is led to theirs' || words === 'a list of theirs') return true;
  if (words === 'unless an operator disabled it' && state === 'by an operator') return false;
  if (words === 'what takes away, and texts' && state === 'widened') return false;
  return target === CLIENT;
}

function* changed(row: Row): Generator<Row> {
  for (const column of ['Page', 'Form'] as const)
    for (const other of ['look', 'act', 'anybody'])
      if (row[column] !== '' && other !== row[column]) yield { ...row, [column]: other };
  const owner = row['An owner may'];
  const isOfOne = /\{id\}|grants/.test(row.Path);
  const lower = owner === '' || owner === 'no' ? [] : ['no'];
  const higher = /^(?:|a list of theirs|is led to theirs)$/.test(owner) ? [] : ['a list of theirs'];
  const between = isOfOne && !/^(?:yes|of one of theirs)$/.test(owner) ? ['yes'] : [];
  for (const other of [...lower, ...higher, ...between]) yield { ...row, 'An owner may': other };
}

test('every page and form that is served has a row, and every row is served', async () => {
  const named = ROWS.flatMap(({ Path, Page, Form }) => [
    ...(Page ? [`GET ${Path}`] : []),
    ...(Form ? [`POST ${Path}`] : []),
  ]);
  assert.deepEqual(named.sort(), await servedBy('console'));
});

for (const row of ROWS)
  test(`${row.Path}: ${row.Page || 'no page'}, ${row.Form || 'no form'}; an owner: ${row['An owner may']}; lowered or raised, it is noticed`, async (t) => {
    const cases = casesOf(row);
    const seen: string[] = [];
    for (const each of cases) seen.push(await ask(row, each));
    const worded = (answers: readonly string[]) =>
      cases.map(
        ({ who, method, target, state }, at) => `${who['Signed in']}: ${method} ${target} ${state}: ${answers[at]}`,
      );
    const wanted = (by: Row) => worded(cases.map((each) => expected(by, each)));
    assert.deepEqual(worded(seen), wanted(row));
    for (const other of changed(row)) {
      t.diagnostic(`noticed: ${other.Page}, ${other.Form}, ${other['An owner may']}`);
      assert.notDeepEqual(worded(seen), wanted(other));
    }
  });
