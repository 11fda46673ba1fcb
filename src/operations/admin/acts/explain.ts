// Dry runs: what the service says to a token, a certificate, an assertion or a scope; and what is known of a request.

import type { PresentedChain } from '../../../core/certificate.ts';
import type { ApprovedIssuer } from '../../../core/issuer.ts';
import { accept } from '../../../core/outcome.ts';
import { readPem } from '../../../pki/der/pem.ts';
import { readRefusals } from '../../upkeep/count-refusals.ts';
import { explainAssertion } from '../explain-assertion.ts';
import { explainCaller } from '../explain-caller.ts';
import { explainScope } from '../explain-scope.ts';
import { explainToken } from '../explain-token.ts';
import { eventsOfRequest } from '../read-events.ts';
import { answer, type RunsOf } from './act.ts';
import { shownRefusal } from './event.ts';

type Issuers = readonly ApprovedIssuer[];

export const RUNS: RunsOf<'explain'> = {
  'explain-request': async ({ id = '' }, ports) => {
    const events = await eventsOfRequest(id, ports);
    const counts = await readRefusals(ports);
    const refusals = counts.filter(({ lastRequestId }) => lastRequestId === id).map(shownRefusal);
    return answer({ events: [...events], refusals });
  },
  'explain-token': async ({ body }, ports) => {
    const { token } = body as { token: string };
    return accept({ value: await explainToken(token, await ports.callerPorts()) });
  },
  'explain-certificate': async ({ body }, { callerPorts }) => {
    const { certificates } = body as { certificates: string };
    const { judge, ...ports } = await callerPorts();
    const sent = (chain: PresentedChain) => ({ by: 'handshake', chain, hasIgnoredHeader: false }) as const;
    const dry = {
      ...ports,
      judge: { judge: (chain: PresentedChain, issuers: Issuers) => judge(sent(chain), issuers) },
    };
    const chain = readPem(certificates, 'CERTIFICATE');
    return answer(await explainCaller(chain, ports.clock.now(), dry));
  },
  'explain-assertion': async ({ body }, { callerPorts }) => {
    const { assertion } = body as { assertion: string };
    const { judgeAssertion, ...ports } = await callerPorts();
    return answer(await explainAssertion(assertion, ports.clock.now(), { ...ports, judge: { judge: judgeAssertion } }));
  },
  'explain-scope': async ({ query }, ports) => {
    const { integration, scope } = query as { integration: string; scope: string };
    return answer(explainScope(integration, scope, (await ports.callerPorts()).registry));
  },
};
