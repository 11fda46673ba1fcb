// The address of a store: `sqlite:PATH` or `postgres://…`. Only src/open-store.ts and this file ask which of them it is.
import { Secret } from '../tokens/secret.ts';

/** Where rows are kept. The URL may hold a password. */
export type StoreAddress =
  | { readonly kind: 'sqlite'; readonly path: string }
  | { readonly kind: 'postgres'; readonly url: Secret };

const FILE = 'sqlite:';

/** `absolute`: what a relative path is relative to. */
export function parseStoreAddress(text: string, absolute: (path: string) => string): StoreAddress {
  return text.startsWith(FILE)
    ? storeFile(absolute(text.slice(FILE.length)))
    : { kind: 'postgres', url: new Secret(text) };
}

/** A store in this file, such as a copy of one. */
export function storeFile(path: string): StoreAddress {
  return { kind: 'sqlite', path };
}

const HIDDEN = '[hidden]';

/** As it would be written in the configuration, without passwords. */
export function shownStore(store: StoreAddress): string {
  if (store.kind === 'sqlite') return `${FILE}${store.path}`;
  const url = URL.parse(store.url.reveal());
  if (!url) return HIDDEN;
  // The query may contain passwords too (password=…, sslpassword=…), so it is not shown.
  const query = url.search ? `?${HIDDEN}` : '';
  const person = url.username ? `${url.username}${url.password ? `:${HIDDEN}` : ''}@` : '';
  return `${url.protocol}//${person}${url.host}${url.pathname}${query}`;
}
