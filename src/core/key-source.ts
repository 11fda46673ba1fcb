import { BYTE, HOST, IPV6, PORT } from './address-pattern.ts';

export type KeySource =
  /** The document at `<issuer>/.well-known/openid-configuration` names the address of the keys. */
  | ({ readonly from: 'discovery' } & FetchSettings)
  | ({ readonly from: 'url'; readonly url: string } & FetchSettings)
  /** A JSON Web Key Set, stored when the token issuer was registered or changed. */
  | { readonly from: 'file'; readonly set: string };

export interface FetchSettings {
  /** Addresses and networks (CIDR) off the public internet from which keys may be fetched. */
  readonly allowedAddresses?: readonly string[];
  /** PEM: if present, the only authorities that are trusted for the TLS connection. */
  readonly authorities?: string;
  /** Nobody registered who publishes them: less is fetched, and nothing but public keys is taken. */
  readonly isOfGuest?: true;
}

const HERE = String.raw`http://(?:localhost|127(?:\.${BYTE}){3}|\[::1\])`;
/** https, so that nobody on the way can replace the keys. On this machine http is enough. */
export const KEY_ADDRESS = new RegExp(
  `^(?:https://(?:${HOST}|\\[(?:${IPV6})\\])|${HERE})(?::${PORT})?(?:[/?][!"$-~]*)?$`,
);

export function isKeyAddress(text: string): boolean {
  return KEY_ADDRESS.test(text);
}
