import { ConfigFault } from './config/mistake.ts';
import type { Config } from './config/schema.ts';
import type { Directory } from './directory/directory.ts';
import { filterFlaw } from './directory/ldap/ldap-connections.ts';
import { ldapDirectory } from './directory/ldap/ldap-directory.ts';
import { localDirectory } from './directory/local/local-directory.ts';
import { type Directories, sideBySide } from './directory/side-by-side.ts';
import type { Store } from './store/store.ts';
import { systemClock } from './system.ts';

type Configured = Config['directories'][number];

/** Where identities are looked up, by the service and by the dry runs of the command. */
export function openDirectories(store: Store, { directories }: Config): Directories {
  return sideBySide(localDirectory(store), directories.map(openElsewhere));
}

/** A directory outside of the store, as it is configured. */
export function openElsewhere(configured: Configured): Directory {
  checkFilters(configured);
  const { timeout, ...settings } = configured;
  return ldapDirectory({ ...settings, timeoutMs: timeout * 1000 }, systemClock.now);
}

function checkFilters({ label, filter, groups }: Configured): void {
  const flaws = [filter, groups?.filter].flatMap((text) => (text === undefined ? [] : (filterFlaw(text) ?? [])));
  if (flaws.length > 0)
    throw new ConfigFault(flaws.map((problem) => ({ path: `directories (${label}): filter`, problem })));
}
