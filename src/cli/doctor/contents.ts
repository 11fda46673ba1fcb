import { X509Certificate } from 'node:crypto';
import { COMMAND_LINE } from '../../core/integration.ts';
import { type ApprovedIssuer, OPTIONAL_CURVES } from '../../core/issuer.ts';
import { endingSecrets } from '../../core/rules/client.ts';
import { signWords } from '../../core/rules/rollback.ts';
import { type EpochSeconds, epochSeconds, isoTime, seconds } from '../../core/time.ts';
import { openRules } from '../../operations/admin/assertion-rules.ts';
import { clockFault } from '../../operations/admin/check-clock.ts';
import {
  countCapitalUpns,
  countGrantsToRenew,
  keyFailures,
  listFailures,
  mostGrants,
  refusedDocuments,
} from '../../operations/admin/examine-contents.ts';
import { endingsFromActs, type LostEnding, nameOf } from '../../operations/admin/lost-endings.ts';
import type { FollowedRegistry } from '../../store/registry.ts';
import type { Store } from '../../store/store.ts';
import { readHistory } from '../../store/tables/store-history.ts';
import { systemClock } from '../../system.ts';
import { clockRemedy } from '../terminal/failure.ts';
import { counted } from '../terminal/output.ts';
import { examineExpiry } from './certificates.ts';
import { bad, type Finding, good, poor } from './finding.ts';

const SOON = seconds(30 * 86_400);
/** In seconds. Synchronized clocks agree within this. */
const TOLERANCE = 60;

/** Checks the contents of the store: clock, integrations, issuers, resource servers, grants that end soon. */
export async function examineContents(store: Store, registry: FollowedRegistry): Promise<Finding[]> {
  const now = await store.now();
  return [
    await examineClock(store, now),
    ...(await examineHistory(store)),
    examineIntegrations(registry),
    ...examineCommandLine(registry),
    ...examineSecrets(registry, now),
    ...(await examineIssuers(registry, store)),
    ...(await examineLists(store, now)),
    ...(await examineDocuments(store, now)),
    ...examineResourceServers(registry),
    ...(await examineTokenIssuers(registry, store)),
    await examineGrants(store, now),
    ...(await examineHolders(store)),
  ];
}

async function examineClock(store: Store, now: EpochSeconds): Promise<Finding> {
  const fault = await clockFault({ store, clock: systemClock });
  if (fault) return bad('clock', fault.message, clockRemedy(fault));
  const [newest] = await store.newestEvents({ count: 1 });
  const ahead = (newest?.at ?? now) - now;
  if (ahead <= TOLERANCE) return good('clock', isoTime(now));
  return bad('clock', `the newest event is ${ahead} seconds in the future`, 'Set the clock, and keep it by NTP.');
}

function examineIntegrations({ integrations }: FollowedRegistry): Finding {
  const enabled = integrations.filter(({ enabled, clientId }) => enabled && clientId !== COMMAND_LINE).length;
  if (enabled > 0) return good('integrations', `${enabled} enabled`);
  return poor('integrations', 'none is enabled, so no tokens can be issued', 'Do: tessera integration add …');
}

/** Stores of early releases. It stays as it is: somebody may have chosen that. */
function examineCommandLine({ integrations }: FollowedRegistry): Finding[] {
  const isLoose = integrations.some(({ clientId, binding }) => clientId === COMMAND_LINE && binding === 'none');
  const todo = `Do: tessera integration change ${COMMAND_LINE} --binding certificate`;
  return isLoose ? [poor(COMMAND_LINE, 'a login by certificate only reads after its first hour', todo)] : [];
}

function examineSecrets({ integrations }: FollowedRegistry, now: EpochSeconds): Finding[] {
  return endingSecrets(integrations, now).map(({ clientId, endsAt }) =>
    poor(
      `secret of ${clientId}`,
      `${endsAt <= now ? 'has ended' : 'ends'} at ${isoTime(endsAt)}`,
      `Do: tessera integration secret ${clientId} --ends-in 90d, or register a key instead`,
    ),
  );
}

async function examineIssuers({ issuers: approved }: FollowedRegistry, store: Store): Promise<Finding[]> {
  if (approved.length === 0) return [good('issuers', 'none approved: no authorization by certificate')];
  const todo = 'Approve its successor before it ends.';
  const expiries = approved.map(({ label, certificate }) =>
    examineExpiry(`issuer ${label}`, new X509Certificate(certificate), todo),
  );
  const settings = [...approved.flatMap(examineCurves), ...examineIdentitySources(approved)];
  return [...expiries, ...settings, ...(await examineUpns(approved, store))];
}

const DAY = 86_400;

/** Reports lists that nodes could not fetch within a day, and limits that were reached. */
async function examineLists(store: Store, now: EpochSeconds): Promise<Finding[]> {
  const [first, ...others] = await listFailures(epochSeconds(now - DAY), { store });
  if (first === undefined) return [];
  const todo =
    'Raise a limit that is reached. If a list is missing, check its address and --allow-address of the issuer.';
  return [poor('revocation lists', `${first}${others.length > 0 ? `, and ${others.length} more failures` : ''}`, todo)];
}

const MOST_DOCUMENTS = 3;

/** Reports documents of clients that were refused within a day, and the setting that would allow them. */
async function examineDocuments(store: Store, now: EpochSeconds): Promise<Finding[]> {
  const refused = await refusedDocuments(epochSeconds(now - DAY), { store });
  return refused
    .slice(0, MOST_DOCUMENTS)
    .map(({ document = '', why = '', allow }) =>
      poor(
        `client ${document}`,
        `its document was refused: ${why}`,
        allow === undefined ? 'Tell the people who make the client.' : `To allow it, set ${allow}`,
      ),
    );
}

/** Reports keys that nodes could not fetch at their last attempt, and rules that admit everybody. */
async function examineTokenIssuers({ tokenIssuers }: FollowedRegistry, store: Store): Promise<Finding[]> {
  const failures = await keyFailures({ store });
  return tokenIssuers.flatMap(({ label, issuer, keys, rules }) => {
    const about = `token issuer ${label}`;
    const why = keys.from === 'file' ? undefined : failures.get(label);
    const todo =
      'Keys that were fetched before are used for 24 hours. Check the address, --allow-address and --ca-file.';
    const open = openRules(rules);
    const findings = [
      ...(why === undefined ? [] : [poor(about, `its keys could not be fetched: ${why}`, todo)]),
      ...(open ? [poor(about, open.problem, open.todo)] : []),
    ];
    return findings.length > 0 ? findings : good(about, issuer);
  });
}

function examineResourceServers({ resourceServers: enabled }: FollowedRegistry): Finding[] {
  const mute = enabled.filter(({ secrets, identity }) => secrets.length === 0 && !identity).map(({ id }) => id);
  if (mute.length === 0) return enabled.length > 0 ? [good('resource servers', `${enabled.length} enabled`)] : [];
  const problem = `${mute.join(', ')}: neither a secret nor an identity, so it cannot check tokens`;
  return [poor('resource servers', problem, 'Do: tessera resource-server secret ID')];
}

/** More than any honest identity was seen with: a caller that asks for a grant whenever it needs a token. */
const MANY_GRANTS = 50_000;

async function examineHolders(store: Store): Promise<Finding[]> {
  const most = await mostGrants({ store });
  if (!most || most.count < MANY_GRANTS) return [];
  const problem = `${most.identityId} has ${most.count} grants, so its programs do not refresh, or somebody fills the store`;
  return [poor('callers', problem, 'Look at tessera events --identity. To end them: tessera grant revoke --identity')];
}

async function examineGrants(store: Store, now: EpochSeconds): Promise<Finding> {
  const ending = await countGrantsToRenew(SOON, now, { store });
  if (ending === 0) return good('grants', 'none ends within 30 days');
  const todo = 'Tell their owners: tessera grant list --ending 30d';
  return poor('grants', `${counted(ending, 'live grant')} will end within 30 days`, todo);
}

/** `tessera store history` lists all. */
const MOST_SHOWN = 10;

const COMMANDS: Readonly<Record<LostEnding['kind'], string>> = {
  grant: 'tessera grant revoke ID',
  integration: 'tessera integration disable ID',
  identity: 'tessera identity disable ID',
  passkey: 'tessera identity passkey remove ID --all',
  issuer: 'tessera issuer remove ID',
  'token-issuer': 'tessera token-issuer remove ID',
  'resource-server': 'tessera resource-server remove ID --yes',
  'signing-key': 'tessera keyring retire ID --at-once',
  key: 'tessera keyring retire ID --at-once',
};

/** Whether the store was put back to an older state, as far as nodes noticed, and what works again that had ended. */
async function examineHistory(store: Store): Promise<Finding[]> {
  const { epoch, rollback } = await readHistory(store);
  if (!rollback) return [good('history', `epoch ${epoch}; no node noticed a rollback`)];
  const says = `the store was put back to an older state: ${signWords(rollback)} (epoch ${epoch})`;
  const todo =
    'See docs/postgresql.md, A database that was put back. In the end: tessera store accept-rollback --end-again';
  const back = await endingsFromActs(rollback.lost, { store });
  return [bad('history', says, todo), ...back.slice(0, MOST_SHOWN).map(worksAgain), ...rest(back.length - MOST_SHOWN)];
}

function worksAgain({ kind, id, at }: LostEnding): Finding {
  const when = at === undefined ? '' : ` at ${isoTime(at)}`;
  const says = `the ${nameOf(kind).one} ${id} had ended${when}, and works again`;
  return bad('history', says, `Do: ${COMMANDS[kind].replace('ID', id)}`);
}

function rest(more: number): Finding[] {
  return more > 0 ? [bad('history', `${more} more work again`, 'List them: tessera store history')] : [];
}

/** Issuer settings under which more people than intended can act as one identity. */
export function examineIdentitySources(approved: readonly ApprovedIssuer[]): Finding[] {
  return [...approved.flatMap(examineList), ...examineShared(approved)];
}

/** Requesters often choose the names in their certificate: leaving one out makes the next source apply. */
function examineList({ label, identitySources }: ApprovedIssuer): Finding[] {
  if (identitySources.length < 2) return [];
  const says = `identity from ${identitySources.join(', ')}: a certificate without the first is identified by the next`;
  const todo = 'Make sure that the authority does not let requesters leave names out, or name one source alone.';
  return [poor(`issuer ${label}`, says, todo)];
}

/** Derived identities include the issuer's label; identities of the directory do not. */
function examineShared(approved: readonly ApprovedIssuer[]): Finding[] {
  const listed = approved.filter(({ identities }) => identities === 'directory');
  const sources = [...new Set(listed.flatMap(({ identitySources }) => identitySources))];
  return sources.flatMap((source) => {
    const labels = listed.filter(({ identitySources }) => identitySources.includes(source)).map(({ label }) => label);
    if (labels.length < 2) return [];
    const says = `${labels.join(', ')}: the same ${source} is the same identity of the directory under each`;
    return [poor('issuers', says, 'Approve only authorities that agree on who has which name, or use --derived.')];
  });
}

/** Earlier versions allowed more curves. Keys on those are refused now. */
export function examineCurves({ label, curves = [] }: ApprovedIssuer): Finding[] {
  const ignored = curves.filter((curve) => !OPTIONAL_CURVES.includes(curve));
  if (ignored.length === 0) return [];
  const says = `curves that are no longer supported are ignored: ${ignored.join(', ')}`;
  return [poor(`issuer ${label}`, says, `Set its curves again: tessera issuer change ${label} --no-curve`)];
}

/** These issuers look up names in lower case, so they never find an identity whose name has capitals. */
async function examineUpns(approved: readonly ApprovedIssuer[], store: Store): Promise<Finding[]> {
  const isFolding = ({ upnComparison, identities }: ApprovedIssuer) =>
    upnComparison === 'active-directory' && identities === 'directory';
  const labels = approved.filter(isFolding).map(({ label }) => label);
  const unfound = labels.length === 0 ? 0 : await countCapitalUpns({ store });
  if (unfound === 0) return [];
  const says = `${labels.join(', ')}: ${counted(unfound, 'principal name')} of the directory with capitals`;
  const todo = 'Under --upn active-directory they are not found. Add those identities again, with --upn in lower case.';
  return [poor('issuers', says, todo)];
}
