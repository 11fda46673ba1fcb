// The first integration and identity, if the flags of `tessera init` name them.
import { COMMAND_LINE } from '../../core/integration.ts';
import { OPERATORS, VIEWERS } from '../../core/rules/operator.ts';
import { make } from '../../operations/admin/acts/work/kinds.ts';
import { findToGive } from '../../operations/admin/find-identity.ts';
import { addIdentity, changeIdentity, inviteToPasskey } from '../../operations/admin/identities.ts';
import { obtainPassword } from '../terminal/input.ts';
import { print, printSecret } from '../terminal/output.ts';
import { accepted } from '../terminal/wording.ts';
import type { Workplace } from '../terminal/workplace.ts';
import type { InitFlags } from './config-text.ts';

/** Existing ones are kept, so that init can be repeated. */
export async function addFirstRegistrations(
  { integration, scope = '', identity, operator }: InitFlags,
  workplace: Workplace,
) {
  await registerCommandLine(workplace);
  if (integration !== undefined) await addIntegration(integration, scope, workplace);
  const added = identity === undefined ? undefined : await addPerson(identity, workplace);
  const operates = operator === undefined ? undefined : await addOperator(operator, workplace);
  return {
    ...(integration !== undefined && { integration }),
    ...(added && { identity: added }),
    ...(operates && { operator: operates }),
  };
}

/** The integration of `tessera login` for operators. It is kept if it exists: somebody may have narrowed it. */
export async function registerCommandLine(workplace: Workplace): Promise<void> {
  const outcome = await make(
    'integrations',
    COMMAND_LINE,
    {
      name: 'Tessera command line',
      description: 'Administration of this service',
      scope: 'tessera:read,operate,manage',
      flows: { code: { redirectUris: ['http://127.0.0.1/callback'] } },
      access: { to: 'named', identities: [], groups: [OPERATORS, VIEWERS] },
      binding: 'certificate',
      overrides: { refresh: true },
    },
    workplace,
  );
  if (!outcome.ok && outcome.refusal.reason !== 'integration-exists') accepted(outcome);
}

/** Without a password: it is set for those who register a passkey. Whoever is new in the group gets an invitation to add one. */
async function addOperator(userName: string, workplace: Workplace) {
  const known = await findToGive(userName, workplace);
  if (known.ok && known.value.groups.includes(OPERATORS)) {
    print(`Left the operator ${userName} as it is`);
    return { userName };
  }
  const { id } = known.ok
    ? accepted(await changeIdentity(known.value.id, { groups: [...known.value.groups, OPERATORS] }, workplace))
    : accepted(await addIdentity({ userName, groups: [OPERATORS] }, workplace));
  print(`Added ${userName} ${known.ok ? 'to' : `as ${id}, in`} the group ${OPERATORS}`);
  const { invitation, endsAt } = accepted(await inviteToPasskey(id, workplace));
  printSecret(`Invitation to add a passkey, shown this once, good until ${endsAt}: ${invitation}`);
  return { userName, invitation };
}

async function addIntegration(id: string, scope: string, workplace: Workplace): Promise<void> {
  const outcome = await make('integrations', id, { scope }, workplace);
  if (!outcome.ok && outcome.refusal.reason === 'integration-exists')
    return print(`Left the integration ${id} as it is`);
  accepted(outcome);
  print(`Registered ${id} with the scope ${scope}`);
}

/** Undefined if there is such an identity already. */
async function addPerson(userName: string, workplace: Workplace) {
  const { password } = await obtainPassword({ generate: true });
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
