// The kinds of things that a file can describe: how each is read, compared, and put into one commit with others.
import { type Identity, isLocal } from '../../core/identity.ts';
import { COMMAND_LINE, type Integration } from '../../core/integration.ts';
import type { ApprovedIssuer } from '../../core/issuer.ts';
import { accept } from '../../core/outcome.ts';
import type { ResourceServer } from '../../core/resource-server.ts';
import type { TokenIssuer } from '../../core/token-issuer.ts';
import { readPem, writePem } from '../../pki/der/pem.ts';
import type { Schema } from '../../schema.ts';
import type { ActPorts } from './acts/act.ts';
import { withIds } from './acts/integration.ts';
import { asNew, completeIssuer, writtenIssuer } from './acts/issuer.ts';
import { whyNotSame } from './acts/token-issuer.ts';
import { type AdminOutcome, decline } from './admin.ts';
import { approving } from './approve-issuer.ts';
import { readRules, writtenRules } from './assertion-rules.ts';
import { changingKnown } from './change-integration.ts';
import { changing as changingIssuer } from './change-issuer.ts';
import { changedServer } from './change-resource-server.ts';
import { findIdentity } from './find-identity.ts';
import { draftedIntegration } from './integration-draft.ts';
import * as objects from './objects.ts';
import { SECTIONS, type Section } from './objects.ts';
import { changedBetween, type Decide, ending, type Planned, planned } from './perform.ts';
import { registering as registeringIntegration, whyNotRegister } from './register-integration.ts';
import { registering as registeringServer } from './register-resource-server.ts';
import { changing as changingTokenIssuer, registering as registeringTokenIssuer } from './register-token-issuer.ts';
import { checkDraft, draftedResourceServer } from './resource-server-draft.ts';

export interface RowsOfSection {
  integrations: Integration;
  resourceServers: ResourceServer;
  issuers: ApprovedIssuer;
  tokenIssuers: TokenIssuer;
  identities: Identity;
}

export interface ObjectKind<Row> {
  readonly schema: Schema;
  readonly keyOf: (row: Row) => string;
  /** Whether it counts: not removed, and described by a file. */
  readonly isThere: (row: Row) => boolean;
  /** As it stands in a file, without what is only shown. */
  readonly written: (row: Row) => object;
  /** With ids instead of names, and texts as they are stored. */
  readonly resolve?: (body: never, ports: ActPorts) => Promise<AdminOutcome<object>>;
  /** Every field, for comparisons. */
  readonly complete: (id: string, body: never) => object;
  readonly put: (id: string, body: never, before: Row | undefined, ports: ActPorts) => Promise<AdminOutcome<Planned>>;
  /** Undefined: files never remove it. */
  readonly remove?: (row: Row) => Planned;
}

async function putIntegration(
  id: string,
  body: objects.WrittenIntegration,
  before: Integration | undefined,
  ports: ActPorts,
): Promise<AdminOutcome<Planned>> {
  const draft = objects.completeIntegration(id, body);
  const objection = await whyNotRegister(id, draft, ports);
  if (objection) return objection;
  if (before) return accept(planned('integration', id, changingKnown(id, draft)));
  const drafted = draftedIntegration(id, draft);
  return drafted.ok ? accept(planned('integration', id, registeringIntegration(drafted.value))) : drafted;
}

async function withIdentity(
  body: objects.WrittenResourceServer,
  ports: ActPorts,
): Promise<AdminOutcome<objects.WrittenResourceServer>> {
  const resources = body.resources.map((resource) => resource.toLowerCase()).sort();
  if (body.identity === undefined) return accept({ ...body, resources });
  const found = await findIdentity(body.identity, ports);
  return found.ok ? accept({ ...body, resources, identity: found.value.id }) : found;
}

function storedPem(pem: string): string {
  return readPem(pem, 'CERTIFICATE').map(writePem).join('');
}

async function withStoredRules(body: objects.WrittenTokenIssuer): Promise<AdminOutcome<objects.WrittenTokenIssuer>> {
  const rules = readRules(body.rules);
  return rules.ok ? accept({ ...body, rules: writtenRules(rules.value) }) : rules;
}

async function putResourceServer(
  id: string,
  body: objects.WrittenResourceServer,
  before: ResourceServer | undefined,
  ports: ActPorts,
): Promise<AdminOutcome<Planned>> {
  const checked = await checkDraft(id, objects.completeResourceServer(id, body), ports);
  if (!checked.ok) return checked;
  const change: Decide<'resource-server'> = (row) =>
    row && !row.removed ? changedServer(id, checked.value, row) : decline('resource-server-unknown', id);
  if (before) return accept(planned('resource-server', id, change));
  const drafted = draftedResourceServer(id, checked.value);
  return drafted.ok ? accept(planned('resource-server', id, registeringServer(drafted.value))) : drafted;
}

async function putIssuer(
  label: string,
  body: objects.WrittenIssuer,
  before: ApprovedIssuer | undefined,
  ports: ActPorts,
): Promise<AdminOutcome<Planned>> {
  const draft = completeIssuer(label, body, before, ports);
  if (!draft.ok) return draft;
  if (before) return accept(planned('issuer', label, changingIssuer(label, draft.value)));
  const decide = await approving(asNew(draft.value), ports);
  return decide.ok ? accept(planned('issuer', label, decide.value)) : decide;
}

async function putTokenIssuer(
  label: string,
  body: objects.WrittenTokenIssuer,
  before: TokenIssuer | undefined,
  ports: ActPorts,
): Promise<AdminOutcome<Planned>> {
  const draft = objects.completeTokenIssuer(body);
  if (before)
    return whyNotSame(body, before) ?? accept(planned('token-issuer', label, changingTokenIssuer(label, draft)));
  const named = { label, issuer: body.issuer };
  const decide = await registeringTokenIssuer(named, draft, { ...ports, ourIssuer: ports.issuer });
  return decide.ok ? accept(planned('token-issuer', label, decide.value)) : decide;
}

/** Only the groups of identities that exist: people are not made by a file. */
async function putIdentity(
  name: string,
  { groups }: { readonly groups: readonly string[] },
  before: Identity | undefined,
): Promise<AdminOutcome<Planned>> {
  if (!before) return decline('identity-unknown', name);
  if (!isLocal(before)) return decline('identity-not-local', name);
  return accept(
    planned('identity', before.id, (row) => {
      if (!row) return decline('identity-unknown', name);
      const next = { ...row, groups: [...new Set(groups)] };
      return accept({ next, deed: { did: 'changed', ...changedBetween(row, next) } });
    }),
  );
}

export const OBJECT_KINDS: { readonly [S in Section]: ObjectKind<RowsOfSection[S]> } = {
  integrations: {
    schema: objects.IntegrationObject,
    keyOf: ({ clientId }) => clientId,
    isThere: ({ removed }) => !removed,
    written: objects.writtenIntegration,
    resolve: withIds,
    complete: objects.completeIntegration,
    put: putIntegration,
    remove: (row) => planned('integration', row.clientId, (found, at) => ended('integration', found, at)),
  },
  resourceServers: {
    schema: objects.ResourceServerObject,
    keyOf: ({ id }) => id,
    isThere: ({ removed }) => !removed,
    written: objects.writtenResourceServer,
    resolve: withIdentity,
    complete: objects.completeResourceServer,
    put: putResourceServer,
    remove: (row) => planned('resource-server', row.id, (found, at) => ended('resource-server', found, at)),
  },
  issuers: {
    schema: objects.IssuerObject,
    keyOf: ({ label }) => label,
    isThere: ({ enabled }) => enabled,
    written: writtenIssuer,
    resolve: async (body: objects.WrittenIssuer) => accept({ ...body, pem: storedPem(body.pem) }),
    complete: (_, body: objects.WrittenIssuer) => objects.completedIssuer(body),
    put: putIssuer,
    remove: (row) => planned('issuer', row.label, (found, at) => ended('issuer', found, at)),
  },
  tokenIssuers: {
    schema: objects.TokenIssuerObject,
    keyOf: ({ label }) => label,
    isThere: ({ enabled }) => enabled,
    written: objects.writtenTokenIssuer,
    resolve: withStoredRules,
    complete: (_, body: objects.WrittenTokenIssuer) => ({ issuer: body.issuer, ...objects.completeTokenIssuer(body) }),
    put: putTokenIssuer,
    remove: (row) => planned('token-issuer', row.label, (found, at) => ended('token-issuer', found, at)),
  },
  identities: {
    schema: objects.GroupsObject,
    keyOf: ({ userName, id }) => userName ?? id,
    isThere: (row) => isLocal(row) && row.groups.length > 0,
    written: ({ groups }) => ({ groups }),
    complete: (_, { groups }: { groups: readonly string[] }) => ({ groups }),
    put: putIdentity,
  },
};

const DEEDS = {
  integration: 'removed',
  'resource-server': 'removed',
  issuer: 'withdrawn',
  'token-issuer': 'removed',
} as const;

type Removable = keyof typeof DEEDS;

function ended<K extends Removable>(kind: K, row: unknown, at: Parameters<Decide<K>>[1]): never {
  const outcome = row
    ? ending(kind, row as never, { did: DEEDS[kind] } as never, at)
    : decline('changed-meanwhile', kind);
  return outcome as never;
}

/** The integration of the command line is never removed by a file: the next `apply` from elsewhere would have no way in. */
export function isKept(id: string): boolean {
  return id === COMMAND_LINE;
}

/** JSON Schema of the files that can be applied, for editors. */
export const OBJECTS_SCHEMA = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  title: 'Objects of Tessera',
  type: 'object',
  additionalProperties: false,
  properties: Object.fromEntries(
    SECTIONS.map((section) => [section, { type: 'object', additionalProperties: OBJECT_KINDS[section].schema }]),
  ),
};
