// The contract of a door: one way into the service, with its own paths and its own words. Listeners know nothing else of it.
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { TokenPorts } from '../operations/ports.ts';
import type { ReadConnection } from './caller/connection.ts';
import type { ReadPresented } from './caller/presented-certificate.ts';
import type { AddressLimit } from './http/rate-limit.ts';
import type { RefusalReplies } from './http/refusal-replies.ts';
import type { OpenapiPaths } from './openapi-document.ts';

/** The entry of a door in src/doors/doors.ts. */
export interface DoorEntry {
  /** Its name in the configuration. */
  readonly name: string;
  /** The first path segments it owns. None: the configuration names its paths. */
  readonly segments: readonly string[];
  /** Served only by listeners that name it: a proxy on the same host makes loopback the internet. */
  readonly isNamedOnly?: true;
}

/** What doors for programs are made from. */
export interface CallerParts {
  readonly publicUrl: string;
  readonly callerPorts: TokenPorts;
  readonly readConnection: ReadConnection;
  /** The refusal for a caller whose address is over its limit, if it is. */
  readonly overLimit: AddressLimit;
  /** The same for callers with an authentic token or secret: a resource server checks a token for each of its own requests. */
  readonly overCheckLimit: AddressLimit;
}

/** What differs between listeners. */
export interface ListenerParts {
  readonly readPresented: ReadPresented;
  /** Whether the configuration names this door for the listener, instead of leaving `doors` out. */
  readonly isNamed: boolean;
}

export interface Door extends Pick<DoorEntry, 'isNamedOnly'> {
  readonly name: string;
  /** Whether a request target is below one of its paths, whether or not there is a route. */
  owns(url: string): boolean;
  /** Adds its routes. The app is its own: hooks added to it see no requests of other doors. */
  mount(app: FastifyInstance, listener: ListenerParts): void;
  readonly refusals: RefusalReplies;
  readonly openapi: OpenapiPaths;
  /** Its refusals are pages, so browsers get them at paths that no door owns, too. */
  readonly isForPeople?: true;
  /** The most bytes of a body, where it is not `limits.bodyBytes`. It must not read larger ones of unauthenticated clients. */
  readonly bodyBytes?: (request: FastifyRequest) => number | undefined;
  /** For health checks and scrapes: its requests are served under load too, and logged for debugging only. */
  readonly isMonitoring?: true;
}
