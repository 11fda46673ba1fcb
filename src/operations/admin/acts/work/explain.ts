// Dry runs: what the service says to a token, a certificate, an assertion or a scope; and what is known of a request.
import { readPem } from '../../../../pki/der/pem.ts';
import { readRefusals } from '../../../upkeep/count-refusals.ts';
import { explainAssertion, explainCaller } from '../../explain.ts';
import { type ActPorts, answer } from '../act.ts';
import { eventsOfRequest, shownRefusal } from './event.ts';

export async function explainRequest(id: string, ports: ActPorts) {
  const events = await eventsOfRequest(id, ports);
  const counts = await readRefusals(ports);
  const refusals = counts.filter(({ lastRequestId }) => lastRequestId === id).map(shownRefusal);
  const own = refusals.map(({ claimed, ...row }) => ({ ...row, ...(claimed?.requestId === id && { claimed }) }));
  return answer({ events: [...events], refusals: own });
}

export async function explainCertificates(pem: string, { callerPorts }: ActPorts) {
  const { judge, registry, store, directories, clock } = await callerPorts();
  const explained = await explainCaller(readPem(pem, 'CERTIFICATE'), clock.now(), {
    ...{ registry, store, directories },
    judge: (chain, issuers) => judge({ by: 'handshake', chain, hasIgnoredHeader: false }, issuers),
  });
  return answer(explained);
}

export async function explainJwt(assertion: string, { callerPorts }: ActPorts) {
  const { judgeAssertion: judge, registry, store, directories, clock } = await callerPorts();
  return answer(await explainAssertion(assertion, clock.now(), { judge, registry, store, directories }));
}
