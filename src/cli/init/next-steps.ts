import { existsSync } from 'node:fs';
import type { Config } from '../../config/schema.ts';
import { COMMAND_LINE } from '../../core/integration.ts';
import { storeAt } from '../../open-store.ts';
import { hasIdentities } from '../../operations/admin/find-identity.ts';
import { FollowedRegistry } from '../../store/registry.ts';
import type { Store } from '../../store/store.ts';
import { print } from '../terminal/output.ts';

/** What the store already has. */
export interface Present {
  readonly integration: boolean;
  readonly identity: boolean;
  readonly issuer: boolean;
}

export async function presentIn(store: Store): Promise<Present> {
  const { integrations, issuers } = await FollowedRegistry.load(store);
  const others = integrations.filter(({ clientId }) => clientId !== COMMAND_LINE);
  return { integration: others.length > 0, identity: await hasIdentities({ store }), issuer: issuers.length > 0 };
}

/** Prints what the operator still has to do after `tessera init`. `tessera` is how to run the command. */
export function sayNext(config: Config, present: Present, tessera: string): void {
  const steps = [
    ...certificateStep(config),
    'Back up the keyring, apart from the store: without it every grant ends.',
    ...(storeAt(config).isShared
      ? [
          'Copy the configuration and the keyring (mode 0600) to every other node; run init there too, it makes no new key.',
        ]
      : []),
    ...(present.integration
      ? []
      : [`Register an integration:  ${tessera} integration add orders-sync --scope 'orders:read'`]),
    ...(present.identity ? [] : [`Add people:               ${tessera} identity add ada`]),
    ...(present.issuer ? [] : [`Approve an authority:     ${tessera} issuer add corp corp-ca.pem`]),
    `See what is missing:      ${tessera} doctor`,
    `Start:                    ${tessera} serve`,
  ];
  print('\nNext:');
  for (const [index, step] of steps.entries()) print(`  ${index + 1}. ${step}`);
}

function certificateStep({ listeners, publicUrl }: Config): readonly string[] {
  const tls = listeners[0]?.tls;
  if (!tls || (existsSync(tls.certificate) && existsSync(tls.key))) return [];
  return [`Put the server certificate for ${publicUrl} at ${tls.certificate}, its key at ${tls.key} (mode 0600).`];
}
