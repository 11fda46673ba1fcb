// What acts of the table are given, and what they result in.
import type { Permission } from '../../core/rules/operator.ts';
import type { ObjectSchema, Schema } from '../../schema.ts';
import type { LoggedEvent } from '../../store/store.ts';
import type {
  ObjectChange,
  Objects,
  WrittenIdentity,
  WrittenIntegration,
  WrittenIssuer,
  WrittenResourceServer,
  WrittenTokenIssuer,
} from './objects.ts';
import type { ShownPasskey } from './passkeys.ts';
import type { ShownGrant } from './show-grant.ts';

export interface ActRow {
  readonly permission: Permission;
  readonly method: 'GET' | 'PUT' | 'POST' | 'DELETE';
  /** Below the mount of the door. `{id}` names the thing. */
  readonly path: string;
  /** Of `tessera`. */
  readonly command: string;
  readonly summary: string;
  readonly query?: ObjectSchema<Record<string, Schema>>;
  readonly body?: Schema;
  readonly answers: Schema;
}

/** What an act is given. The door, or the command, has checked query and body against the schemas of the table. */
export interface Given {
  readonly id?: string | undefined;
  readonly query?: object | undefined;
  readonly body?: unknown;
  /** `absent`: make it, and refuse if it exists. A number: the revision that the thing must have. */
  readonly onlyIf?: number | 'absent' | undefined;
}

export interface Answered<T> {
  readonly value: T;
  /** Of the thing, if it can be changed. */
  readonly revision?: number;
}

/** One page of a list. `next`: where the following one begins. */
export interface Listed<T> {
  readonly items: readonly T[];
  readonly next?: string;
}

/** What each act results in. */
export interface Gives {
  'integration-list': Listed<WrittenIntegration>;
  'integration-show': WrittenIntegration;
  'integration-put': WrittenIntegration;
  'integration-import': Listed<{ readonly clientId: string; readonly isNew: boolean }>;
  'integration-enable': WrittenIntegration;
  'integration-disable': WrittenIntegration;
  'integration-remove': Ended;
  'resource-server-list': Listed<WrittenResourceServer>;
  'resource-server-show': WrittenResourceServer;
  'resource-server-put': WrittenResourceServer;
  'resource-server-remove': Ended;
  'resource-server-secret': { readonly secret: string };
  'resource-server-drop-secret': WrittenResourceServer;
  'issuer-list': Listed<WrittenIssuer>;
  'issuer-show': WrittenIssuer;
  'issuer-put': WrittenIssuer;
  'issuer-remove': Ended;
  'token-issuer-list': Listed<WrittenTokenIssuer>;
  'token-issuer-show': WrittenTokenIssuer;
  'token-issuer-put': WrittenTokenIssuer;
  'token-issuer-remove': Ended;
  'identity-list': Listed<WrittenIdentity>;
  'identity-show': WrittenIdentity;
  'identity-put': WrittenIdentity;
  'identity-password': WrittenIdentity;
  'identity-passkeys': Listed<ShownPasskey>;
  'identity-remove-passkeys': Listed<ShownPasskey>;
  'identity-enable': WrittenIdentity;
  'identity-disable': WrittenIdentity;
  'identity-remove': Ended;
  'grant-list': Listed<ShownGrant>;
  'grant-show': ShownGrant;
  'grant-timeline': Listed<LoggedEvent>;
  'grant-revoke': Ended;
  'grant-revoke-all': Ended;
  'event-list': Listed<LoggedEvent> & { readonly epoch: number };
  'object-export': Objects;
  'object-plan': Listed<ObjectChange>;
  'object-apply': Listed<ObjectChange>;
  'node-list': Listed<{ readonly name: string; readonly until: string }>;
}

export type ActName = keyof Gives;

/** `endedGrants`: how many ended with it. */
export interface Ended {
  readonly id?: string;
  readonly endedGrants?: number;
}
