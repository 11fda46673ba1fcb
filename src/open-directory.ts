import { readFileSync } from 'node:fs';
import { ConfigFault } from './config/mistake.ts';
import type { Config } from './config/schema.ts';
import type { KeyringSource } from './config/setting.ts';
import { DirectoryAway } from './core/faults.ts';
import type { Directory } from './directory/directory.ts';
import type { LdapSettings } from './directory/ldap/ldap-directory.ts';
import { localDirectory, pushedLookups } from './directory/local/local-directory.ts';
import { type Directories, sideBySide } from './directory/side-by-side.ts';
import { systemFetch } from './outbound/guarded-fetch.ts';
import type { Store } from './store/store.ts';
import { systemClock } from './system.ts';

type Configured = Config['directories'][number];

/** Where identities are looked up, by the service and by the dry runs of the command. */
export async function openDirectories(store: Store, { directories }: Config): Promise<Directories> {
  const others = directories.map(async (configured): Promise<Directory> => {
    const isPushed = configured.kind === 'oidc' && configured.scim;
    return { ...(await openElsewhere(configured)), ...(isPushed && pushedLookups(store, configured.label)) };
  });
  return sideBySide(localDirectory(store), await Promise.all(others));
}

/** A directory outside of the store, as it is configured. Only its own code is loaded: most services have none. */
export async function openElsewhere({ timeout, ...configured }: Configured): Promise<Directory> {
  const timeoutMs = timeout * 1000;
  if (configured.kind === 'oidc') {
    const { clientSecret: source, ...settings } = configured;
    const readSecret = source && (() => secretIn(source));
    const { oidcDirectory } = await import('./directory/oidc/oidc-directory.ts');
    return oidcDirectory({ ...settings, readSecret, timeoutMs }, systemFetch(), systemClock.milliseconds);
  }
  await checkFilters(configured);
  const { ldapDirectory } = await import('./directory/ldap/ldap-directory.ts');
  return ldapDirectory({ ...configured, timeoutMs }, systemClock.now);
}

function secretIn(source: KeyringSource): string {
  const text = source.from === 'file' ? readFileSync(source.path, 'utf8') : process.env[source.name];
  if (!text?.trim()) throw new DirectoryAway('the client secret is empty');
  return text.trim();
}

async function checkFilters({
  label,
  filter,
  groups,
}: Pick<LdapSettings, 'label' | 'filter' | 'groups'>): Promise<void> {
  const { filterFlaw } = await import('./directory/ldap/ldap-connections.ts');
  const flaws = [filter, groups?.filter].flatMap((text) => (text === undefined ? [] : (filterFlaw(text) ?? [])));
  if (flaws.length > 0)
    throw new ConfigFault(flaws.map((problem) => ({ path: `directories (${label}): filter`, problem })));
}
