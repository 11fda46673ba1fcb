import type { StoredTokens } from '../tokens.ts';
import type { HeldStore, TokenStore } from './token-store.ts';

/** Keeps the pair in this process. It is lost when the process ends: only for pairs that are easy to get again. */
export function memoryStore(): TokenStore {
  let kept: StoredTokens | undefined;
  let presented: { readonly token: string; readonly since: number } | undefined;
  let isHeld = false;
  const held: HeldStore = {
    reserve: async () => {},
    present: async (token, since) => {
      if (presented?.token !== token) presented = { token, since };
    },
    presentedSince: async (token) => (presented?.token === token ? presented.since : undefined),
    unpresent: async () => {
      presented = undefined;
    },
    save: async (tokens) => {
      [kept, presented] = [tokens, undefined];
    },
    clear: async () => {
      [kept, presented] = [undefined, undefined];
    },
    release: async () => {
      isHeld = false;
    },
  };
  return {
    name: 'memory',
    load: async () => kept,
    lock: async () => {
      if (isHeld) return undefined;
      isHeld = true;
      return held;
    },
  };
}
