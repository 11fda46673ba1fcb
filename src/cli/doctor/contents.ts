import { X509Certificate } from 'node:crypto';
import { COMMAND_LINE } from '../../core/integration.ts';
import { endingSecrets } from '../../core/rules/client.ts';
import { type EpochSeconds, epochSeconds, isoTime, seconds } from '../../core/time.ts';
import { openRules } from '../../operations/admin/assertion-rules.ts';
import { clockFault } from '../../operations/admin/check-clock.ts';
import { countGrantsToRenew, keyFailures, listFailures, mostGrants } from '../../operations/admin/examine-contents.ts';
import type { FollowedRegistry } from '../../store/registry.ts';
import type { Store } from '../../store/store.ts';
import { systemClock } from '../../system.ts';
import { clockRemedy } from '../terminal/failure.ts';
import { counted } from '../terminal/output.ts';
import { examineExpiry } from './certificates.ts';
import { bad, type Finding, good, poor } from './finding.ts';
import { examineHistory } from './history.ts';
import { examineCurves, examineIdentitySources, examineUpns } from './identity-sources.ts';

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
    ...examineSecrets(registry, now),
    ...(await examineIssuers(registry, store)),
    ...(await examineLists(store, now)),
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
  const expiries = approved.map(({ label, certificate }) => {
    const { validTo } = new X509Certificate(certificate);
    return examineExpiry(`issuer ${label}`, validTo, 'Approve its successor before it ends.');
  });
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

/** Reports keys that nodes could not fetch at their last attempt, and rules that admit everybody. */
async function examineTokenIssuers({ tokenIssuers }: FollowedRegistry, store: Store): Promise<Finding[]> {
  const failures = await keyFailures({ store });
  return tokenIssuers.flatMap(({ label, issuer, keys, rules }) => {
    const about = `token issuer ${label}`;
    const why = keys.from === 'file' ? undefined : failures.get(label);
    const todo = 'Its last keys are used for 24 hours. Check the address, --allow-address and --ca-file.';
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
  return poor(
    'grants',
    `${counted(ending, 'live grant')} will end within 30 days`,
    'Tell their owners: tessera grant list --ending 30d',
  );
}
