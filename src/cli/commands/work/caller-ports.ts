// What the service judges requests with, opened beside its store for dry runs. Nothing is written, and nothing is logged.
import { readFileSync } from 'node:fs';
import { AssertionJudge } from '../../../assertions/assertion-judge.ts';
import { IssuerKeys } from '../../../assertions/issuer-keys.ts';
import { settingsOf } from '../../../config/load.ts';
import { tokenEndpointOf } from '../../../config/served-doors.ts';
import { refuse } from '../../../core/outcome.ts';
import { openDirectories } from '../../../open-directory.ts';
import { openKeyring } from '../../../open-keyring.ts';
import type { ActPorts } from '../../../operations/admin/acts/act.ts';
import { systemFetch } from '../../../outbound/guarded-fetch.ts';
import { ALONE } from '../../../outbound/shared-download.ts';
import { CertificateJudge } from '../../../pki/judge/certificate-judge.ts';
import { FollowedRegistry } from '../../../store/registry.ts';
import { keySets } from '../../../store/tables/revocation-lists.ts';
import { systemClock } from '../../../system.ts';
import { Keyring } from '../../../tokens/keyring.ts';
import type { Workplace } from '../../terminal/workplace.ts';
import type { DryRun } from '../steps.ts';

export async function callerPortsOf({ config, store, random }: Workplace, { at, crl = [] }: DryRun) {
  const registry = await FollowedRegistry.load(store);
  const opened = await openKeyring(config, store).then(
    (keys) => new Keyring(keys),
    (fault: Error) => fault,
  );
  const clock = { ...systemClock, now: () => at ?? systemClock.now() };
  const judge = new CertificateJudge({ fetch: systemFetch(), now: clock.now });
  const lists = registry.issuers.flatMap(({ revocation }) => revocation.crlFiles);
  const find = async (name: string) => (await store.load(keySets, name)).found?.row;
  const keys = new IssuerKeys({ fetch: systemFetch(), now: systemClock.now, exchange: { ...ALONE, find } });
  const ours = { ourIssuer: config.publicUrl, ourTokenEndpoint: tokenEndpointOf(config) };
  const assertions = new AssertionJudge({ keys, ...ours, now: clock.now });
  return {
    store,
    registry,
    /** Only tokens need it. */
    get keyring() {
      if (opened instanceof Error) throw opened;
      return opened;
    },
    random,
    directories: await openDirectories(store, config),
    settings: settingsOf(config),
    clock,
    issuer: config.publicUrl,
    admitClock: () => undefined,
    judge: (presented, issuers) => {
      judge.revocation.useFiles([...new Set([...lists, ...crl])].map((path) => readFileSync(path)));
      return judge.judge('chain' in presented ? presented.chain : [], issuers);
    },
    judgeAssertion: (assertion, tokenIssuers) => assertions.judge(assertion, tokenIssuers),
    judgeGuest: async () => refuse('client-unproven'), // dry runs fetch nothing for guests
    logRefused: () => undefined,
    logRefusedAssertion: () => undefined,
    countIgnoredHeader: () => undefined,
    countSibling: () => undefined,
    derivation: () => 'root',
  } satisfies Awaited<ReturnType<ActPorts['callerPorts']>>;
}
