import { accept } from '../../core/outcome.ts';
import { type AdminOutcome, decline } from './admin.ts';
import { draftedIntegration, type IntegrationDraft } from './integration-draft.ts';

export interface ImportedDraft {
  readonly clientId: string;
  readonly draft: IntegrationDraft;
}

const FIELDS = ['id', 'name', 'description', 'vendor', 'scope', 'accessTokenFormat'] as const;

/** Reads `{"id","name","description","scope"}`, one or a list of them. One that is wrong refuses them all. */
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
