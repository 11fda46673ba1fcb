// Everything registered as one document: exported, compared, and applied.
import { hash } from 'node:crypto';
import { accept } from '../../../core/outcome.ts';
import { flawOf, type Schema } from '../../../schema.ts';
import type { Listed } from '../act-formats.ts';
import type { Answered, Given } from '../act-table.ts';
import { type AdminOutcome, decline } from '../admin.ts';
import { OBJECTS_SCHEMA, type ObjectChange, type Objects } from '../objects.ts';
import { type ActPorts, type AnyKind, answer, answering, present } from './act.ts';
import { applyChanges, type PlannedChange, planChanges, shownChanges } from './plan.ts';
import { whyNotTogether } from './together.ts';

type Done = Promise<AdminOutcome<Answered<Objects | Listed<ObjectChange>>>>;

export async function runObjects(verb: string, { body }: Given, kinds: readonly AnyKind[], ports: ActPorts): Done {
  if (verb === 'export') return answer(await exported(kinds, ports));
  const { digest: seen } = body as ApplyDraft;
  const plan = await planOf(body as ApplyDraft, kinds, ports);
  if (!plan.ok) return plan;
  const digest = digestOf(plan.value);
  if (verb === 'apply' && seen !== undefined && seen !== digest)
    return decline('changed-meanwhile', 'what the plan was made for');
  const done = verb === 'apply' ? await applyChanges(plan.value, ports) : accept(shownChanges(plan.value));
  return answering(done, (items) => ({ items, digest }));
}

/** Another one if the changes are others, or begin from other rows. */
function digestOf(changes: readonly PlannedChange[]): string {
  const revisions = changes.map(({ act }) => act.onlyIf ?? 0);
  return hash('sha256', JSON.stringify([shownChanges(changes), revisions]));
}

/** Without secrets, and without what is only shown. */
async function exported(kinds: readonly AnyKind[], ports: ActPorts): Promise<Objects> {
  const objects: Record<string, Record<string, object>> = {};
  for (const kind of kinds) {
    const known = [...(await present(kind, ports))].map(([id, row]) => [id, withoutShown(kind, row)] as const);
    const entries = known.filter(([, body]) => isWorthAFile(body)).sort(([a], [b]) => (a < b ? -1 : 1));
    if (entries.length > 0) objects[kind.section] = Object.fromEntries(entries);
  }
  return objects;
}

/** Identities without groups are not written down. */
function isWorthAFile(body: { readonly groups?: readonly string[] }): boolean {
  return body.groups?.length !== 0;
}

function withoutShown({ written, schema }: AnyKind, row: unknown): object {
  const { properties } = schema as { properties: Record<string, { readOnly?: true }> };
  const isWritten = (name: string) => properties[name] !== undefined && !properties[name].readOnly;
  return Object.fromEntries(
    Object.entries(written(row)).filter(([name, value]) => value !== undefined && isWritten(name)),
  );
}

interface ApplyDraft {
  readonly objects: unknown;
  /** Of the plan that somebody has seen. */
  readonly digest?: string;
  readonly prune?: boolean;
}

async function planOf(
  { objects, prune = false }: ApplyDraft,
  kinds: readonly AnyKind[],
  ports: ActPorts,
): Promise<AdminOutcome<readonly PlannedChange[]>> {
  const flaw = flawOf(OBJECTS_SCHEMA as Schema, objects);
  if (flaw !== undefined) return decline('object-malformed', flaw);
  const changes: PlannedChange[] = [];
  for (const kind of kinds) {
    const wanted = (objects as Objects)[kind.section];
    if (!wanted) continue;
    const planned = await planChanges(kind, { wanted, known: await present(kind, ports), prune }, ports);
    if (!planned.ok) return planned;
    changes.push(...planned.value);
  }
  return whyNotTogether(changes, await ports.store.now()) ?? accept(changes);
}
