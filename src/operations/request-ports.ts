import { storeOfRequest } from '../store/request-store.ts';
import type { Ports } from './ports.ts';

/**
 * The ports for one request: every event that it causes names it. Doors use this for all operations that change state but
 * refreshes, which are too frequent for a store of their own: refresh-tokens.ts names the request itself.
 */
export function portsOfRequest<Some extends Pick<Ports, 'store'>>(ports: Some, requestId: string): Some {
  return { ...ports, store: storeOfRequest(ports.store, requestId) };
}
