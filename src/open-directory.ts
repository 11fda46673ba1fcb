import { readFileSync } from 'node:fs';
import { ConfigFault } from './config/mistake.ts';
import type { Config } from './config/schema.ts';
import type { KeyringSource } from './config/setting.ts';
import { DirectoryAway } from './core/directory-away.ts';
import type { Directory } from './directory/directory.ts';
import { filterFlaw } from './directory/ldap/ldap-connections.ts';
import { type LdapSettings, ldapDirectory } from './directory/ldap/ldap-directory.ts';
import { localDirectory, pushedLookups } from './directory/local/local-directory.ts';
import { oidcDirectory } from './directory/oidc/oidc-directory.ts';
import { type Directories, sideBySide } from './directory/side-by-side.ts';
import { systemFetch } from './outbound/guarded-fetch.ts';
import type { Store } from './store/store.ts';
import { systemClock } from './system.ts';

type Configured = Config['directories'][number];

/** Where identities are looked up, by the service and by the dry runs of the command. */
export function openDirectories(store: Store, { directories }: Config): Directories {
  const others = directories.map((configured): Directory => {
    const isPushed = configured.kind === 'oidc' && configured.scim;
    return { ...openElsewhere(configured), ...(isPushed && pushedLookups(store, configured.label)) };
  });
  return sideBySide(localDirectory(store), others);
}

/** A directory outside of the store, as it is configured. */
export function openElsewhere({ timeout, ...configured }: Configured): Directory {
  const timeoutMs = timeout * 1000;
  if (configured.kind === 'oidc') {
    const { clientSecret: source, ...settings } = configured;
    const readSecret = source && (() => secretIn(source));
    return oidcDirectory({ ...settings, readSecret, timeoutMs }, systemFetch(), systemClock.milliseconds);
  }
  checkFilters(configured);
  return ldapDirectory({ ...configured, timeoutMs }, systemClock.now);
}

function secretIn(source: KeyringSource): string {
  const text = source.from === 'file' ? readFileSync(source.path, 'utf8') : process.env[source.name];
  if (!text?.trim()) throw new DirectoryAway('the client secret is empty');
  return text.trim();
}

function checkFilters({ label, filter, groups }: Pick<LdapSettings, 'label' | 'filter' | 'groups'>): void {
  const flaws = [filter, groups?.filter].flatMap((text) => (text === undefined ? [] : (filterFlaw(text) ?? [])));
  if (flaws.length > 0)
    throw new ConfigFault(flaws.map((problem) => ({ path: `directories (${label}): filter`, problem })));
}
