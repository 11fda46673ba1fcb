import { existsSync } from 'node:fs';
import type { Config } from '../../config/schema.ts';
import { print } from '../terminal/output.ts';
import type { InitFlags } from './flags.ts';

/** Prints what the operator has to do after `tessera init`. */
export function sayNext({ listeners, publicUrl, store }: Config, { integration, identity }: InitFlags): void {
  const tls = listeners[0]?.tls;
  const steps = [
    ...(tls && !(existsSync(tls.certificate) && existsSync(tls.key))
      ? [`Put the server certificate for ${publicUrl} at ${tls.certificate}, its key at ${tls.key} (mode 0600).`]
      : []),
    'Back up the keyring, apart from the store: without it every grant ends.',
    ...(store.kind === 'postgres'
      ? [
          'Copy the configuration and the keyring (mode 0600) to every other node; run init there too, it makes no new key.',
        ]
      : []),
    ...(integration === undefined
      ? ["Register an integration:  tessera integration add orders-sync --scope 'orders:read'"]
      : []),
    ...(identity === undefined ? ['Add people:               tessera identity add ada'] : []),
    'Approve an authority:     tessera issuer add corp corp-ca.pem',
    'See what is missing:      tessera doctor',
    'Start:                    tessera serve',
  ];
  print('\nNext:');
  for (const [index, step] of steps.entries()) print(`  ${index + 1}. ${step}`);
}
