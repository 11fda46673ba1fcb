import { COMMAND_LINE } from '../../core/integration.ts';
import { accept, type Outcome, refuse } from '../../core/outcome.ts';
import { certifyCaller, type Presentation } from '../grant/identify-caller.ts';
import type { CallerPorts } from '../ports.ts';
import { type BegunSession, beginSession } from './browser-session.ts';

/** For operators, as `tessera login` by certificate: an issuer that is for other integrations only signs nobody in. */
export async function signInWithCertificate(
  presentation: Presentation,
  ports: CallerPorts,
): Promise<Outcome<BegunSession>> {
  const caller = await certifyCaller(presentation, ports);
  if (!caller.ok) return caller;
  const { identity, integrations } = caller.value;
  if (!identity.enabled) return refuse('identity-disabled');
  if (integrations && !integrations.includes(COMMAND_LINE)) return refuse('issuer-not-for-integration');
  return accept(await beginSession(identity, ports, 'certificate'));
}
