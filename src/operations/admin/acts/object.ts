import { type ApplyDraft, applyObjects, exportObjects, planObjects } from '../apply-objects.ts';
import { answer, answering, type RunsOf } from './act.ts';

function draftOf(body: unknown): ApplyDraft {
  const { objects, prune = false } = body as Partial<ApplyDraft>;
  return { objects, prune };
}

export const RUNS: RunsOf<'object'> = {
  'object-export': async (_, ports) => answer(await exportObjects(ports)),
  'object-plan': async ({ body }, ports) => answering(await planObjects(draftOf(body), ports), (items) => ({ items })),
  'object-apply': async ({ body }, ports) =>
    answering(await applyObjects(draftOf(body), ports), (items) => ({ items })),
};
