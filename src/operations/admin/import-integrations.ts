import { accept } from '../../core/outcome.ts';
import { integrations } from '../../store/tables/integrations.ts';
import { type AdminOutcome, type AdminPorts, decline } from './admin.ts';
import { changeIntegration } from './change-integration.ts';
import { draftedIntegration, type IntegrationDraft } from './integration-draft.ts';
import { registerIntegration } from './register-integration.ts';
import { whyNotFormat } from './token-format.ts';

export interface ImportedDraft {
  readonly clientId: string;
  readonly draft: IntegrationDraft;
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

/** Checks the whole file before the first write, so that a wrong file changes nothing. */
export async function importIntegrations(
  { text, update }: ImportRequest,
  ports: AdminPorts,
): Promise<AdminOutcome<readonly Imported[]>> {
  const drafts = readImport(text);
  if (!drafts.ok) return drafts;
  const known = new Set<string>();
  for (const { clientId, draft } of drafts.value) {
    const objection = await whyNotFormat(draft, ports.store);
    if (objection) return objection;
    const { found } = await ports.store.load(integrations, clientId);
    if (found && !found.row.removed) known.add(clientId);
  }
  const [taken] = known;
  if (taken !== undefined && !update) return decline('integration-exists', taken);
  const imported: Imported[] = [];
  for (const { clientId, draft } of drafts.value) {
    const isNew = !known.has(clientId);
    const written = await (isNew ? registerIntegration : changeIntegration)(clientId, draft, ports);
    if (!written.ok) return written;
    imported.push({ clientId, isNew });
  }
  return accept(imported);
}

/** One wrong entry refuses the whole file. */
export function readImport(text: string): AdminOutcome<readonly ImportedDraft[]> {
  const content = parseJson(text);
  if (content === undefined) return decline('import-malformed', 'it is not JSON');
  const drafts: ImportedDraft[] = [];
  for (const [index, entry] of [content].flat().entries()) {
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
  return drafted.ok ? accept({ clientId: id, draft }) : drafted;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text.replace(/^\ufeff/, ''));
  } catch {
    return undefined;
  }
}
