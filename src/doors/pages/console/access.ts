// Who may see and do what in the console: by group, by how they signed in, and how long ago.
import { isPresented } from '../../../core/certificate.ts';
import type { ClientId } from '../../../core/integration.ts';
import { consolePermission, includes, isOwner, type Permission } from '../../../core/rules/operator.ts';
import { isFresh, strongProof } from '../../../core/rules/proof.ts';
import type { EpochSeconds } from '../../../core/time.ts';
import { type ActPorts, type Answered, actPortsOf, type Given } from '../../../operations/admin/acts/act.ts';
import { runActAs } from '../../../operations/admin/acts/owned-act.ts';
import { ACTS, type ActName, type Gives } from '../../../operations/admin/acts.ts';
import { type Acted, decline } from '../../../operations/admin/admin.ts';
import { signInWithCertificate } from '../../../operations/person/sign-in.ts';
import type { TokenPorts } from '../../../operations/ports.ts';
import type { FigureKeeper } from '../../../operations/upkeep/figures.ts';
import type { ListenerParts } from '../../door.ts';
import { recordRefusal } from '../../http/request-record.ts';
import { describe } from '../../token/descriptions.ts';
import { goOn } from '../account/sign-in.ts';
import { type ConsolePath, consolePath, type SignInForm, signInPage } from '../account/sign-in-page.ts';
import type { Answer } from '../parts/answer.ts';
import { languageFor } from '../parts/language.ts';
import { personName } from '../parts/layout.ts';
import { refusalPage } from '../parts/refusal-page.ts';
import type { Form, PageRoute } from '../parts/route.ts';
import { enConsole } from '../parts/texts/en-console.ts';
import type { PersonVisit, Visit } from '../parts/visit.ts';

const words = enConsole.signIn;

export interface ConsoleParts extends Pick<ListenerParts, 'readPresented'> {
  readonly callerPorts: TokenPorts;
  readonly keeper: FigureKeeper;
  /** The checks of this node. */
  readonly readiness: { readonly ask: () => Promise<readonly Check[]> };
}

interface Check {
  readonly name: string;
  readonly problem?: { readonly reason: string };
  /** It is ready, but something needs attention. */
  readonly remark?: string;
}

export interface ConsoleVisit extends PersonVisit {
  readonly parts: ConsoleParts;
  readonly now: EpochSeconds;
  /** By passkey, or another proof that nobody can be talked out of. */
  readonly isStrong: boolean;
  readonly may: Permission;
  /** Of owners: the only integrations that they see. */
  readonly owned?: readonly ClientId[];
  /** The only integrations that they may act on, as owners; an owner who is a viewer sees more. */
  readonly actsOn?: readonly ClientId[];
  readonly ports: ActPorts;
  /** Does an act of the table, if this person may. */
  readonly act: <A extends ActName>(name: A, given?: Given) => Acted<Answered<Gives[A]>>;
}

type Handle = (visit: ConsoleVisit, form: Form) => Promise<Answer>;

/** `acts`: the page does something, or leads to it, so the person must have signed in a moment ago. */
function forOperator(parts: ConsoleParts, handle: Handle, acts = false): PageRoute['handle'] {
  return async (given, form) => {
    const { person, site } = given;
    const visit = { ...given, language: languageFor('en') };
    const page = pathOf(given);
    if (!person) return consoleSignIn(visit, parts, { goOn: page });
    const now = await site.ports.store.now();
    const admitted = admit({ ...visit, person }, parts, now);
    if (!admitted) return refusalPage(visit, { reason: 'console-closed' });
    if (acts && admitted.may === 'read') return refusalPage(visit, { reason: 'console-viewing' });
    if (acts && !isFresh(person.proof, now))
      return consoleSignIn(visit, parts, { goOn: page, userName: personName(visit) });
    return handle(admitted, form);
  };
}

/** With the certificate of the connection, if there is one. */
function consoleSignIn(visit: Visit, { readPresented }: ConsoleParts, form: SignInForm): Answer {
  const certificate = isPresented(readPresented(visit.request)) ? { path: SIGN_IN, text: words.button } : undefined;
  return signInPage(visit, { ...form, certificate });
}

export const SIGN_IN = '/console/sign-in';

/** Not by `show` and `take`: nobody has to be signed in yet. Who is can sign in with a better proof. */
export function signInRoutes(parts: ConsoleParts): PageRoute[] {
  const english = (visit: Visit) => ({ ...visit, language: languageFor('en') });
  const ask: PageRoute['handle'] = async (visit) => consoleSignIn(english(visit), parts, { goOn: '/console' });
  const handle: PageRoute['handle'] = async (given, form) => {
    const visit = english(given);
    const { request } = visit;
    const presentation = { presented: parts.readPresented(request), requestId: request.id };
    const begun = await signInWithCertificate(presentation, parts.callerPorts);
    const goOnTo = consolePath(form['go_on']) ?? '/console';
    if (begun.ok) return goOn(visit, begun.value, { goOn: goOnTo });
    recordRefusal(request, begun.refusal);
    const said = { title: words.refused, text: describe(begun.refusal) };
    return consoleSignIn(visit, parts, { goOn: goOnTo, problem: { status: 403, said } });
  };
  const at = { path: SIGN_IN, operation: 'console-sign-in' };
  return [
    { ...at, method: 'GET', fields: [], handle: ask },
    { ...at, method: 'POST', fields: ['go_on'], handle },
  ];
}

/** Back to the page itself, with its filter; what a form had is gone, so its page is shown anew. */
function pathOf({ request }: Visit): ConsolePath {
  const { url = '' } = request.raw;
  return consolePath(url) ?? consolePath(url.split('?')[0]) ?? '/console';
}

function admit(visit: PersonVisit, parts: ConsoleParts, now: EpochSeconds): ConsoleVisit | undefined {
  const { person, site, request } = visit;
  const { identity, proof } = person;
  const isStrong = strongProof(proof) !== undefined;
  const owned = parts.callerPorts.registry.integrations.filter((each) => isOwner(identity, each));
  const whole = consolePermission(identity.groups, isStrong);
  const asOwner = owned.length === 0 ? undefined : isStrong ? 'manage' : 'read';
  const may = whole === 'manage' ? whole : (asOwner ?? whole);
  if (!may) return undefined;
  const ids = owned.map(({ clientId }) => clientId);
  const ofOwner = { ...(!whole && { owned: ids }), ...(whole !== 'manage' && asOwner && { actsOn: ids }) };
  const { presenter } = site.readConnection(request);
  const by = { as: 'identity', id: identity.id, proof: proof.by } as const;
  const ports = actPortsOf({ id: request.id, presenter, by }, parts.callerPorts, site.publicUrl);
  const act: ConsoleVisit['act'] = async (name, given = {}) => {
    const { permission } = ACTS[name];
    if (!includes(may, permission)) return decline('permission-missing', permission);
    const only = includes(whole, permission) ? undefined : ids;
    return runActAs(only, name, { query: {}, ...given }, ports);
  };
  return { ...visit, parts, now, isStrong, may, ports, act, ...ofOwner };
}

/** Owners act on what is theirs only, though they may see more. */
export function isTheirs({ actsOn }: ConsoleVisit, integration: string | undefined): boolean {
  return !actsOn || actsOn.some((each) => each === integration);
}

export function show(parts: ConsoleParts, path: string, operation: string, handle: Handle, acts = false): PageRoute {
  return { method: 'GET', path: `/console${path}`, operation, fields: [], handle: forOperator(parts, handle, acts) };
}

export function take(
  parts: ConsoleParts,
  path: string,
  operation: string,
  fields: readonly string[],
  handle: Handle,
  acts = true,
): PageRoute {
  return { method: 'POST', path: `/console${path}`, operation, fields, handle: forOperator(parts, handle, acts) };
}

/** Of the path. */
export function idOf({ request }: Visit): string {
  return (request.params as { id?: string }).id ?? '';
}
