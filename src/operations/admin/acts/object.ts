import { boolean, described, list, named, object, optional, type Schema, string } from '../../../schema.ts';
import { CLOSED } from '../members.ts';
import { ChangedObject, OBJECTS, type ObjectChange, type Objects } from '../objects.ts';
import { act, answer } from './act.ts';

const work = () => import('./work/object.ts');

const Document = described<Objects>({
  ...OBJECTS,
  title: 'Objects',
  description: 'By section, then by name: docs/administration.md.',
});
const PRUNE = optional(boolean({ description: 'Remove what the sections do not have.' }));
const DIGEST = optional(string({ description: 'Of a plan: apply it only if it would still do exactly that.' }));
const Planned = object({ objects: Document, prune: PRUNE }, { ...CLOSED, title: 'ObjectsToPlan' });
const Applied = object({ objects: Document, prune: PRUNE, digest: DIGEST }, { ...CLOSED, title: 'ObjectsToApply' });
const Change = described<ObjectChange>({
  ...named('ObjectChange', {
    section: string(),
    id: string(),
    does: string({ description: 'create, change or remove.' }),
    fields: ChangedObject,
  } satisfies Record<keyof ObjectChange, Schema>),
});
const Changes = named('ObjectChanges', { items: list(Change), digest: string() });

export const OBJECT_ACTS = {
  'object-export': act('read', 'GET', '/objects', {
    command: 'export',
    summary: 'Everything registered, without secrets',
    answers: Document,
    run: async (_, ports) => answer(await (await work()).exportObjects(ports)),
  }),
  'object-plan': act('read', 'POST', '/objects/plan', {
    command: 'diff',
    summary: 'What applying a document would do',
    body: Planned,
    answers: Changes,
    run: async ({ body }, ports) => (await work()).planObjects(body, ports),
  }),
  'object-apply': act('manage', 'POST', '/objects/apply', {
    command: 'apply',
    summary: 'Apply a document: all of it, or nothing',
    body: Applied,
    answers: Changes,
    run: async ({ body }, ports) => (await work()).applyObjects(body, ports),
  }),
};
