// The judges of certificates and of assertions: what they fetch, what nodes share of it, and the log of refusals.
import { AssertionJudge, printAssertionStep } from '../assertions/assertion-judge.ts';
import { IssuerKeys } from '../assertions/issuer-keys.ts';
import type { Config } from '../config/schema.ts';
import { tokenEndpointOf } from '../config/served-doors.ts';
import { clientIssuer } from '../core/rules/client.ts';
import { seconds } from '../core/time.ts';
import type { Log } from '../log/log.ts';
import type { Ports, TokenPorts } from '../operations/ports.ts';
import type { Timekeeper } from '../operations/upkeep/timekeeper.ts';
import { systemFetch } from '../outbound/guarded-fetch.ts';
import { CertificateJudge } from '../pki/judge/certificate-judge.ts';
import { printStep } from '../pki/judge/explain.ts';
import { seesIntermediates } from '../serve/this-node.ts';
import { SharedLists, sharedKeySets } from '../store/shared-lists.ts';
import { composeGuests } from './guests.ts';
import { logRefusals } from './log-notices.ts';
import type { Tracing } from './tracing.ts';

export type Judges = ReturnType<typeof composeJudges>;

type JudgePorts = Ports & { readonly timekeeper: Timekeeper };

export function composeJudges(config: Config, ports: JudgePorts, log: Log, tracing: Tracing | undefined) {
  const { issuer: ourIssuer, clock, registry, timekeeper } = ports;
  const { revocation } = config;
  const judge = new CertificateJudge({
    fetch: tracing?.traceFetch(systemFetch()) ?? systemFetch(),
    now: clock.now,
    exchange: new SharedLists(ports),
    limits: { ...revocation, ocspWithoutNonce: seconds(revocation.ocspWithoutNonce) },
    logRefused: (url, why) => log.warn({ url, why }, 'revocation list not used'),
    logLimit: (limit) => log.warn({ limit }, 'revocation lists dropped: a limit is reached'),
    seesIntermediates,
  });
  const keys = new IssuerKeys({
    fetch: systemFetch(),
    now: clock.now,
    exchange: sharedKeySets(ports),
    logFailure: (tokenIssuer, why) => log.warn({ tokenIssuer, why }, 'keys of a token issuer not fetched'),
  });
  const ourTokenEndpoint = tokenEndpointOf(config);
  const assertions = new AssertionJudge({ keys, ourIssuer, ourTokenEndpoint, now: clock.now });
  const guests = composeGuests(config, ports, log, { ourIssuer, ourTokenEndpoint, now: clock.now });
  const logCertificate = logRefusals(log, clock.milliseconds, 'certificate refused', printStep);
  const logAssertion = logRefusals(log, clock.milliseconds, 'assertion refused', printAssertionStep);
  return {
    judge,
    callerPorts: {
      admitClock: () => timekeeper.admitOwn(clock.now()),
      judge: (...given) => judge.judgePresented(...given),
      logRefused: (id, { steps, issuer }) =>
        logCertificate(id, steps, { issuer: issuer?.label, profile: issuer?.profile }, 'every profile'),
      judgeAssertion: (assertion, tokenIssuers) => assertions.judge(assertion, tokenIssuers),
      judgeGuest: guests.judge,
      logRefusedAssertion: (id, { steps, tokenIssuer }) => logAssertion(id, steps, { tokenIssuer: tokenIssuer?.label }),
    } satisfies Omit<TokenPorts, keyof Ports | 'countIgnoredHeader' | 'countSibling' | 'derivation'>,
    readDocument: guests.readDocument,
    /** So that requests find keys. Only the first ones after a start may have to wait. */
    renewKeys: () => Promise.all([keys.renewAll(keyOwners(registry)), guests.renewKeys()]),
  };
}

/** Token issuers, and integrations with keys of their own. */
function keyOwners({ tokenIssuers, integrations }: Ports['registry']) {
  return [...tokenIssuers, ...integrations.flatMap((integration) => clientIssuer(integration) ?? [])];
}
