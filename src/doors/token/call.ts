// One request to a token door.
import type { FastifyRequest } from 'fastify';
import type { Grant } from '../../core/grant.ts';
import { type Outcome, refused } from '../../core/outcome.ts';
import type { Presenter } from '../../core/presenter.ts';
import type { OverCap, Refusal } from '../../core/refusal.ts';
import type { Presentation } from '../../operations/grant/identify-caller.ts';
import type { TokenPair } from '../../operations/grant/token-pair.ts';
import { portsOfRequest, type TokenPorts } from '../../operations/ports.ts';
import { sha256 } from '../../tokens/sha256.ts';
import type { ReadConnection } from '../caller/connection.ts';
import type { ListenerParts } from '../door.ts';
import type { RateRefusal } from '../http/rate-limit.ts';
import { type RequestRecord, recordOf } from '../http/request-record.ts';
import { NAMING_NO_GRANT, type TokenLimits } from './limits.ts';

/** A token door at one path, on one listener. */
export interface TokenMount extends TokenLimits, ListenerParts {
  readonly path: string;
  /** Where people confirm. Made from publicUrl, never from the Host header. */
  readonly verificationUri: string;
  readonly ports: TokenPorts;
  readonly readConnection: ReadConnection;
}

const MARK_LENGTH = 12;

export class Call<Mount extends TokenMount = TokenMount> {
  readonly request: FastifyRequest;
  readonly mount: Mount;

  constructor(request: FastifyRequest, mount: Mount) {
    this.request = request;
    this.mount = mount;
  }

  /** For its log line. */
  get record(): RequestRecord {
    return recordOf(this.request);
  }

  get presenter(): Presenter {
    return this.mount.readConnection(this.request).presenter;
  }

  get presentation(): Presentation {
    return { presented: this.mount.readPresented(this.request), requestId: this.request.id };
  }

  /** Events name the request. */
  get ports(): TokenPorts {
    return portsOfRequest(this.mount.ports, this.request.id);
  }

  overLimit(): RateRefusal | undefined {
    return this.mount.overLimit(this.request);
  }

  /** The limits of a caller with a credential. They are charged for authentic ones only. */
  limitsOf(clientId: string) {
    const byAddress = this.overLimit();
    return {
      presenter: this.presenter,
      overLimit: () => byAddress ?? this.mount.overIntegrationLimit(clientId, 'grants'),
      overCap: this.mount.capsFor(clientId),
    };
  }

  /** For a caller that was identified without a grant: its caps, then the rate of its integration. */
  grantCap(clientId: string): OverCap {
    const overCap = this.mount.capsFor(clientId);
    return (use, identityId) => overCap(use, identityId) ?? this.mount.overIntegrationLimit(clientId, 'grants');
  }

  /** Charges the address of a caller whose request could not be used. */
  chargeUnusable<T, R extends Refusal<string>>(outcome: Outcome<T, R>): Outcome<T, R | RateRefusal> {
    if (outcome.ok || !NAMING_NO_GRANT.has(outcome.refusal.reason)) return outcome;
    const limited = this.overLimit();
    return limited ? refused(limited) : outcome;
  }

  /** Callers put passwords and tokens in the wrong field, so unregistered text is hashed: enough to compare with what a caller says it sent. */
  recordIntegration(clientId: string | undefined): void {
    if (!clientId) return;
    const isKnown = this.mount.ports.registry.integration(clientId) !== undefined;
    this.record.clientId = isKnown ? clientId : `unknown:${sha256(clientId).slice(0, MARK_LENGTH)}`;
  }

  recordPair({ identityId, grantId }: TokenPair): void {
    const { record } = this;
    record.identityId = identityId;
    record.grantId = grantId;
  }

  recordGrant({ clientId, identityId, id: grantId }: Grant): void {
    const { record } = this;
    record.clientId = clientId;
    record.identityId = identityId;
    record.grantId = grantId;
  }
}
