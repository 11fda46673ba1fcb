// Registers, changes and removes things as the admin door does, and returns their rows.
import type { ApprovedIssuer } from '../src/core/issuer.ts';
import { accept } from '../src/core/outcome.ts';
import type { RowOf } from '../src/core/rules/endings.ts';
import type { TokenIssuer } from '../src/core/token-issuer.ts';
import type { ActPorts } from '../src/operations/admin/acts/act.ts';
import { type ActName, runAct } from '../src/operations/admin/acts.ts';
import type { AdminOutcome, AdminPorts } from '../src/operations/admin/admin.ts';
import type { WrittenIssuer, WrittenTokenIssuer } from '../src/operations/admin/issuer-objects.ts';
import type { WrittenIntegration, WrittenResourceServer } from '../src/operations/admin/objects.ts';
import { REGISTERED } from '../src/store/all-tables.ts';
import { systemRandom } from '../src/system.ts';

type Kind = 'integration' | 'resource-server' | 'issuer' | 'token-issuer';
export type Administering = AdminPorts & { readonly issuer?: string };

export type IntegrationDraft = Partial<WrittenIntegration>;
export type ResourceServerDraft = Partial<WrittenResourceServer>;
export type TokenIssuerDraft = Partial<Omit<WrittenTokenIssuer, 'rules'>> & { readonly rules?: unknown };
export type RevocationDraft = Omit<NonNullable<WrittenIssuer['revocation']>, 'crlFiles'> & {
  readonly crlFiles?: readonly CrlFile[];
};
export type IssuerDraft = Partial<Omit<WrittenIssuer, 'revocation'>> & { readonly revocation?: RevocationDraft };

interface CrlFile {
  readonly path: string;
  readonly contents: Uint8Array;
}

export function act(name: ActName, given: object, ports: Administering, files: readonly CrlFile[] = []) {
  const readFile = (path: string) => files.find((file) => file.path === path)?.contents ?? new Uint8Array();
  return runAct(name, given, { readFile, ...actPorts(ports) });
}

export function actPorts(ports: Administering): ActPorts {
  return {
    issuer: 'https://tokens.example',
    random: systemRandom,
    everyNodeKnows: async () => undefined,
    callerPorts: async () => Promise.reject(new Error('nobody calls')),
    ...ports,
  };
}

async function rowAfter<K extends Kind>(
  kind: K,
  id: string,
  done: AdminOutcome<unknown>,
  { store }: Administering,
): Promise<AdminOutcome<RowOf[K]>> {
  if (!done.ok) return done;
  return accept((await store.load(REGISTERED[kind], id)).found?.row as RowOf[K]);
}

async function register<K extends Kind>(
  kind: K,
  id: string,
  body: object,
  ports: Administering,
  files?: readonly CrlFile[],
) {
  return rowAfter(kind, id, await act(`${kind}-put`, { id, body, onlyIf: 'absent' }, ports, files), ports);
}

/** What is absent stays. */
async function change<K extends Kind>(
  kind: K,
  id: string,
  draft: object,
  ports: Administering,
  files?: readonly CrlFile[],
) {
  const before = await act(`${kind}-show`, { id }, ports);
  if (!before.ok) return before;
  const { value, revision } = before.value;
  const body = merged(value as object, draft);
  return rowAfter(kind, id, await act(`${kind}-put`, { id, body, onlyIf: revision }, ports, files), ports);
}

function merged(before: object, draft: object): object {
  const known = before as Readonly<Record<string, unknown>>;
  const fields = Object.entries(draft).map(([name, value]) => {
    const isPart = ['flows', 'overrides', 'revocation'].includes(name);
    return [name, isPart ? { ...(known[name] as object), ...value } : value];
  });
  return { ...before, ...Object.fromEntries(fields) };
}

async function remove<K extends Kind>(kind: K, id: string, confirmed: boolean, ports: Administering) {
  return rowAfter(kind, id, await act(`${kind}-remove`, { id, query: { confirmed } }, ports), ports);
}

export function registerIntegration(id: string, draft: IntegrationDraft, ports: Administering) {
  return register('integration', id, draft, ports);
}

export function changeIntegration(id: string, draft: IntegrationDraft, ports: Administering) {
  return change('integration', id, draft, ports);
}

/** `text`: JSON. */
export async function importIntegrations({ text, update }: { text: string; update: boolean }, ports: Administering) {
  const body = { integrations: [JSON.parse(text)].flat(), update };
  const done = await act('integration-import', { body }, ports);
  return done.ok ? accept((done.value.value as { items: unknown }).items) : done;
}

/** `digest`: of the plan that somebody has seen. */
export function applyObjects(objects: object, ports: Administering, digest?: string) {
  return act('object-apply', { body: { objects, digest } }, ports);
}

export function planObjects(objects: object, ports: Administering) {
  return act('object-plan', { body: { objects } }, ports);
}

export function registerResourceServer(id: string, draft: ResourceServerDraft, ports: Administering) {
  return register('resource-server', id, { audience: '', resources: [], ...draft }, ports);
}

export function changeResourceServer(id: string, draft: ResourceServerDraft, ports: Administering) {
  return change('resource-server', id, draft, ports);
}

export function removeResourceServer(id: string, { isConfirmed }: { isConfirmed: boolean }, ports: Administering) {
  return remove('resource-server', id, isConfirmed, ports);
}

type Named = Pick<TokenIssuer, 'label' | 'issuer'>;

export function registerTokenIssuer({ label, issuer }: Named, draft: TokenIssuerDraft, ports: Administering) {
  return register('token-issuer', label, { rules: [], ...draft, issuer }, ports);
}

export function changeTokenIssuer(label: string, draft: TokenIssuerDraft, ports: Administering) {
  return change('token-issuer', label, draft, ports);
}

export function removeTokenIssuer(label: string, ports: Administering) {
  return remove('token-issuer', label, true, ports);
}

export function approveIssuer(draft: IssuerDraft & Pick<ApprovedIssuer, 'label'>, ports: Administering) {
  const { label, ...body } = draft;
  return register('issuer', label, withPaths(body), ports, draft.revocation?.crlFiles);
}

export function changeIssuer(label: string, draft: IssuerDraft, ports: Administering) {
  return change('issuer', label, withPaths(draft), ports, draft.revocation?.crlFiles);
}

function withPaths({ revocation, ...draft }: IssuerDraft): object {
  const { crlFiles, ...checks } = revocation ?? {};
  return { ...draft, revocation: { ...checks, ...(crlFiles && { crlFiles: crlFiles.map(({ path }) => path) }) } };
}

export function withdrawIssuer(label: string, ports: Administering) {
  return remove('issuer', label, true, ports);
}
