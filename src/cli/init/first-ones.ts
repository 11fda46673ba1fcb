// The first integration and identity, if the flags of `tessera init` name them.
import { addIdentity } from '../../operations/admin/add-identity.ts';
import { registerIntegration } from '../../operations/admin/register-integration.ts';
import { print, printSecret } from '../terminal/output.ts';
import { obtainPassword } from '../terminal/password.ts';
import { accepted } from '../terminal/wording.ts';
import type { Workplace } from '../terminal/workplace.ts';
import type { InitFlags } from './config-text.ts';

/** Existing ones are kept, so that init can be repeated. */
export async function addFirstOnes(
  { integration, scope = '', identity }: InitFlags,
  workplace: Workplace,
): Promise<{ readonly integration?: string; readonly identity?: AddedPerson }> {
  if (integration !== undefined) await addIntegration(integration, scope, workplace);
  const added = identity === undefined ? undefined : await addPerson(identity, workplace);
  return { ...(integration !== undefined && { integration }), ...(added && { identity: added }) };
}

interface AddedPerson {
  readonly userName: string;
  readonly id: string;
  readonly password: string;
}

async function addIntegration(id: string, scope: string, workplace: Workplace): Promise<void> {
  const outcome = await registerIntegration(id, { scope }, workplace);
  if (!outcome.ok && outcome.refusal.reason === 'integration-exists')
    return print(`Left the integration ${id} as it is`);
  accepted(outcome);
  print(`Registered ${id} with the scope ${scope}`);
}

/** Undefined if there is such an identity already. */
async function addPerson(userName: string, workplace: Workplace): Promise<AddedPerson | undefined> {
  const { password } = await obtainPassword({ generate: true }, workplace.random);
  const outcome = await addIdentity({ userName, password }, workplace);
  if (!outcome.ok && outcome.refusal.reason === 'user-name-taken') {
    print(`Left the identity ${userName} as it is`);
    return undefined;
  }
  const { id } = accepted(outcome);
  print(`Added ${userName} as ${id}`);
  printSecret(`Password, shown this once: ${password.reveal()}`);
  return { userName, id, password: password.reveal() };
}
