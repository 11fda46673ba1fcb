import type { FastifyRequest } from 'fastify';
import type { Refusal } from '../../core/refusal.ts';
import type { CallerPorts } from '../../operations/ports.ts';
import type { ReadConnection } from '../caller/connection.ts';
import type { ReadPresented } from '../caller/presented-certificate.ts';
import type { ErrorKeys } from './answers.ts';

export interface AuthsvcDoor {
  readonly mount: string;
  readonly errorKeys: ErrorKeys;
  /** Where people confirm: made from publicUrl, never from the Host header. */
  readonly verificationUri: string;
  readonly ports: CallerPorts;
  readonly readConnection: ReadConnection;
  readonly readPresented: ReadPresented;
  /** What to say to a caller whose address is over its limit, if it is. */
  readonly overLimit: (request: FastifyRequest) => Refusal | undefined;
  /**
   * The same for an integration, whose name everybody may know: so only what is authentic is charged to it. Device
   * authorizations are begun by anybody, and counted apart.
   */
  readonly overIntegrationLimit: (clientId: string, what: 'grants' | 'devices') => Refusal | undefined;
}
