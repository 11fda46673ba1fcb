import type { Door } from '../door/door.ts';
import type { Reply } from '../door/reply.ts';
import type { Tls } from '../door/send.ts';

/** A way to a new grant. Make one with `certificate`, `device`, `assertion`, `privateKey`, `secret` or `stored`. */
export interface Way {
  /** Whether a program can get a new grant this way without a person. */
  readonly isAlone: boolean;
  /** How a person gets a new grant, for messages. */
  readonly todo: string;
  /** The certificate to present with every request, loaded anew each time: it may have been renewed. */
  tls(): Tls | undefined;
  /** What authenticates the integration, in the form of every request; made anew each time. `issuer`: the address of the service. */
  readonly client?: (issuer: string, clientId: string) => Readonly<Record<string, string>>;
  /** Requests a new grant. Undefined: this way cannot. */
  readonly start?: (door: Door, signal: AbortSignal | undefined) => Promise<Reply>;
}
