import type { Directory } from './directory/directory.ts';
import { localDirectory } from './directory/local/local-directory.ts';
import type { Store } from './store/store.ts';

/** Where identities are looked up, by the service and by the dry runs of the command. */
export function openDirectory(store: Store): Directory {
  return localDirectory(store);
}
