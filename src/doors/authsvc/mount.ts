import type { CallerPorts } from '../../operations/ports.ts';
import type { ReadConnection } from '../caller/connection.ts';
import type { ListenerParts } from '../door.ts';
import type { TokenLimits } from '../token/limits.ts';
import type { ErrorKeys } from './answers.ts';

/** One mount of the door, on one listener. */
export interface AuthsvcMount extends TokenLimits, ListenerParts {
  readonly path: string;
  readonly errorKeys: ErrorKeys;
  /** Where people confirm. Made from publicUrl, never from the Host header. */
  readonly verificationUri: string;
  readonly ports: CallerPorts;
  readonly readConnection: ReadConnection;
}
