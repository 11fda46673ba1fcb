import { rows } from '../../store/pages.ts';
import { type StorePort, writeRow } from '../../store/store.ts';
import { markedIntegrations } from '../../store/tables/integrations.ts';

/** So that earlier releases, beside this one or after a way back, do not make public what loses its last key there. */
export async function markConfidential({ store }: StorePort): Promise<void> {
  for await (const { clientId, confidential, isMarked } of rows(store, markedIntegrations))
    if (confidential && !isMarked) await writeRow(store, markedIntegrations, clientId, (found) => found);
}
