import type { TokenPorts } from '../../operations/ports.ts';
import type { ReadConnection } from '../caller/connection.ts';
import type { ListenerParts } from '../door.ts';
import type { TokenLimits } from './limits.ts';

/** A token door at one path, on one listener. */
export interface TokenMount extends TokenLimits, ListenerParts {
  readonly path: string;
  /** Where people confirm. Made from publicUrl, never from the Host header. */
  readonly verificationUri: string;
  readonly ports: TokenPorts;
  readonly readConnection: ReadConnection;
}
