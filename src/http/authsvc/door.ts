import type { FastifyRequest } from 'fastify';
import type { Outcome } from '../../core/outcome.ts';
import type { Refusal } from '../../core/refusal.ts';
import type { CertifiedCaller } from '../../core/rules/certificate.ts';
import type { Ports } from '../../operations/ports.ts';
import type { ReadConnection } from '../connection.ts';
import type { ErrorKeys } from './answers.ts';

export interface AuthsvcDoor {
  readonly mount: string;
  readonly errorKeys: ErrorKeys;
  /** Where people confirm: made from publicUrl, never from the Host header. */
  readonly verificationUri: string;
  readonly ports: Ports;
  readonly readConnection: ReadConnection;
  readonly certifiedCaller: (request: FastifyRequest) => Promise<Outcome<CertifiedCaller>>;
  /** What to say to a caller that is over a limit, if this one is. */
  readonly overLimit: (request: FastifyRequest, clientId: string | undefined) => Refusal | undefined;
}
