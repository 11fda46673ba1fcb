import type { FastifyRequest } from 'fastify';
import type { Outcome } from '../../core/outcome.ts';
import type { Refusal } from '../../core/refusal.ts';
import type { CertifiedCaller } from '../../core/rules/certificate.ts';
import type { Ports } from '../../operations/ports.ts';
import type { ReadConnection } from '../caller/connection.ts';
import type { ErrorKeys } from './answers.ts';

export interface AuthsvcDoor {
  readonly mount: string;
  readonly errorKeys: ErrorKeys;
  /** Where people confirm: made from publicUrl, never from the Host header. */
  readonly verificationUri: string;
  readonly ports: Ports;
  readonly readConnection: ReadConnection;
  readonly certifiedCaller: (request: FastifyRequest) => Promise<Outcome<CertifiedCaller>>;
  /** What to say to a caller whose address is over its limit, if it is. */
  readonly overLimit: (request: FastifyRequest) => Refusal | undefined;
  /**
   * The same for an integration, whose name everybody may know: so only what is authentic is charged to it. Device
   * authorizations are begun by anybody, and counted apart.
   */
  readonly overIntegrationLimit: (clientId: string, what: 'grants' | 'devices') => Refusal | undefined;
}
