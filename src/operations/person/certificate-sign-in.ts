import { COMMAND_LINE } from '../../core/integration.ts';
import { accept, type Outcome } from '../../core/outcome.ts';
import { servedCaller } from '../../core/rules/certificate.ts';
import { certifyCaller, type Presentation } from '../grant/identify-caller.ts';
import type { CallerPorts } from '../ports.ts';
import { type BegunSession, beginSession } from './browser-session.ts';

/** For operators, as `tessera login` by certificate: an issuer that is for other integrations only signs nobody in. */
export async function signInWithCertificate(
  presentation: Presentation,
  ports: CallerPorts,
): Promise<Outcome<BegunSession>> {
  const certified = await certifyCaller(presentation, ports);
  const caller = certified.ok ? servedCaller(certified.value, COMMAND_LINE) : certified;
  return caller.ok ? accept(await beginSession(caller.value.identity, ports, 'certificate')) : caller;
}
