import type { Identity } from './identity.ts';

/** A signed-in person at a browser. */
export interface Person {
  readonly identity: Identity;
  /** The id of the browser session; see BrowserSession. */
  readonly session: string;
}
