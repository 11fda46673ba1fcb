import type { Integration } from '../../core/integration.ts';
import { accept } from '../../core/outcome.ts';
import { MOST_ROWS } from '../../store/store.ts';
import { type AdminOutcome, type AdminPorts, decline } from './admin.ts';
import { changingKnown } from './change-integration.ts';
import { draftedIntegration, type IntegrationDraft } from './integration-draft.ts';
import { performAll, planned } from './perform.ts';
import { registering, whyNotRegister } from './register-integration.ts';

export interface ImportedDraft {
  readonly clientId: string;
  readonly draft: IntegrationDraft;
  /** The integration, if there is none with this id. */
  readonly asNew: Integration;
}

const FIELDS = ['id', 'name', 'description', 'vendor', 'scope', 'accessTokenFormat'] as const;

export interface ImportRequest {
  /** JSON: `{"id","name","description","scope"}`, or a list of these. */
  readonly text: string;
  /** Change integrations that exist; without it they are refused. */
  readonly update: boolean;
}

export interface Imported {
  readonly clientId: string;
  readonly isNew: boolean;
}

/** All or none, also if somebody else changes one of these integrations at the same time. */
export async function importIntegrations(
  { text, update }: ImportRequest,
  ports: AdminPorts,
): Promise<AdminOutcome<readonly Imported[]>> {
  const drafts = readImport(text);
  if (!drafts.ok) return drafts;
  for (const { clientId, draft } of drafts.value) {
    const objection = await whyNotRegister(clientId, draft, ports);
    if (objection) return objection;
  }
  const acts = drafts.value.map(({ clientId, draft, asNew }) => {
    const change = changingKnown(clientId, draft);
    const register = registering(asNew);
    return planned('integration', clientId, (row, at) => (update && row && !row.removed ? change : register)(row, at));
  });
  const done = await performAll(acts, ports);
  if (!done.ok) return done;
  const isNew = (place: number) => done.value[place]?.deed.did === 'registered';
  return accept(drafts.value.map(({ clientId }, place) => ({ clientId, isNew: isNew(place) })));
}

/** One wrong entry refuses the whole file. */
export function readImport(text: string): AdminOutcome<readonly ImportedDraft[]> {
  const content = parseImport(text);
  if (!content.ok) return content;
  const drafts: ImportedDraft[] = [];
  const entries = content.value;
  if (entries.length > MOST_ROWS) return decline('import-malformed', `it has more than ${MOST_ROWS} integrations`);
  for (const [index, entry] of entries.entries()) {
    const read = readEntry(entry, `entry ${index + 1}`);
    if (!read.ok) return read;
    if (drafts.some(({ clientId }) => clientId === read.value.clientId)) {
      return decline('import-malformed', `entry ${index + 1} repeats the id ${read.value.clientId}`);
    }
    drafts.push(read.value);
  }
  return drafts.length > 0 ? accept(drafts) : decline('import-malformed', 'it holds no integration');
}

function readEntry(entry: unknown, which: string): AdminOutcome<ImportedDraft> {
  if (typeof entry !== 'object' || entry === null) return decline('import-malformed', `${which} is not an object`);
  const fields = entry as Record<string, unknown>;
  const wrong = FIELDS.find((field) => Object.hasOwn(fields, field) && typeof fields[field] !== 'string');
  if (wrong) return decline('import-malformed', `the ${wrong} of ${which} is not a text`);
  const { id, ...draft } = Object.fromEntries(
    FIELDS.flatMap((field) => (Object.hasOwn(fields, field) ? [[field, fields[field]]] : [])),
  ) as Partial<Record<(typeof FIELDS)[number], string>>;
  if (id === undefined) return decline('import-malformed', `${which} has no id`);
  const drafted = draftedIntegration(id, draft);
  return drafted.ok ? accept({ clientId: id, draft, asNew: drafted.value }) : drafted;
}

/** One entry, or a list. */
export function parseImport(text: string): AdminOutcome<readonly unknown[]> {
  try {
    return accept([JSON.parse(text.replace(/^\ufeff/, ''))].flat());
  } catch {
    return decline('import-malformed', 'it is not JSON');
  }
}
