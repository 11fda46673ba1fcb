import type { TokenMount } from '../token/mount.ts';
import type { ErrorKeys } from './schemas.ts';

/** One mount of the door, on one listener. */
export interface AuthsvcMount extends TokenMount {
  readonly errorKeys: ErrorKeys;
}
