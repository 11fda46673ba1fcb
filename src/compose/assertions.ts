// The part of the service that judges assertions: the keys of token issuers, the judge, and the log of refusals.
import { AssertionJudge } from '../assertions/assertion-judge.ts';
import { describeRefusedAssertion } from '../assertions/explain-assertion.ts';
import { IssuerKeys } from '../assertions/issuer-keys.ts';
import type { Log } from '../log/log.ts';
import type { AssertionPorts, Ports } from '../operations/ports.ts';
import { SharedKeySets } from '../operations/upkeep/shared-key-sets.ts';
import { systemFetch } from '../outbound/system-fetch.ts';
import type { Chore } from '../serve/chores.ts';
import { logRefusals } from './log-news.ts';

export interface AssertionParts {
  readonly callerPorts: Pick<AssertionPorts, 'judgeAssertion' | 'logRefusedAssertion'>;
  /** Renews keys, so that requests find them. Only the first ones after a start may have to wait. */
  readonly renewKeys: Chore;
}

export function composeAssertions(ports: Ports, log: Log): AssertionParts {
  const { issuer: ourIssuer, clock, registry } = ports;
  const keys = new IssuerKeys({
    fetch: systemFetch(),
    now: clock.now,
    exchange: new SharedKeySets(ports),
    logFailure: (tokenIssuer, why) => log.warn({ tokenIssuer, why }, 'keys of a token issuer not fetched'),
  });
  const logRefusal = logRefusals(log, clock.milliseconds);
  const judge = new AssertionJudge({ keys, ourIssuer, now: clock.now });
  return {
    callerPorts: {
      judgeAssertion: (assertion, tokenIssuers) => judge.judge(assertion, tokenIssuers),
      logRefusedAssertion: ({ requestId, verdict }) =>
        logRefusal(describeRefusedAssertion(requestId, verdict), 'assertion refused'),
    },
    renewKeys: { everyMs: 10_000, work: () => keys.renewAll(registry.tokenIssuers), atStart: 'begun' },
  };
}
