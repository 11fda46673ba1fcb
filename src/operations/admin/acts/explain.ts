// Dry runs: what the service says to a token, a certificate, an assertion or a scope; and what is known of a request.
import { readPem } from '../../../pki/der/pem.ts';
import { readRefusals } from '../../upkeep/count-refusals.ts';
import { explainAssertion, explainCaller, explainScope, explainToken } from '../explain.ts';
import { answer, type RunsOf } from './act.ts';
import { eventsOfRequest, shownRefusal } from './event.ts';

export const RUNS: RunsOf<'explain'> = {
  'explain-request': async ({ id }, ports) => {
    const events = await eventsOfRequest(id, ports);
    const counts = await readRefusals(ports);
    const refusals = counts.filter(({ lastRequestId }) => lastRequestId === id).map(shownRefusal);
    const own = refusals.map(({ claimed, ...row }) => ({ ...row, ...(claimed?.requestId === id && { claimed }) }));
    return answer({ events: [...events], refusals: own });
  },
  'explain-token': async ({ body: { token } }, { callerPorts }) =>
    answer(await explainToken(token, await callerPorts())),
  'explain-certificate': async ({ body: { certificates } }, { callerPorts }) => {
    const { judge, registry, store, directories, clock } = await callerPorts();
    const explained = await explainCaller(readPem(certificates, 'CERTIFICATE'), clock.now(), {
      ...{ registry, store, directories },
      judge: (chain, issuers) => judge({ by: 'handshake', chain, hasIgnoredHeader: false }, issuers),
    });
    return answer(explained);
  },
  'explain-assertion': async ({ body: { assertion } }, { callerPorts }) => {
    const { judgeAssertion: judge, registry, store, directories, clock } = await callerPorts();
    return answer(await explainAssertion(assertion, clock.now(), { judge, registry, store, directories }));
  },
  'explain-scope': async ({ query: { integration, scope } }, { callerPorts }) =>
    answer(explainScope(integration, scope, (await callerPorts()).registry)),
};
