// Clients that nobody registered: their documents, and the keys that these name. Nothing of them is stored.
import { AssertionJudge, type JudgePorts } from '../assertions/assertion-judge.ts';
import { IssuerKeys } from '../assertions/issuer-keys.ts';
import type { Config } from '../config/schema.ts';
import type { ClientUrl } from '../core/client-document.ts';
import { accept, refuse, refused } from '../core/outcome.ts';
import { guestIssuer } from '../core/rules/client.ts';
import { seconds } from '../core/time.ts';
import type { Log } from '../log/log.ts';
import type { Guest, Ports } from '../operations/ports.ts';
import { ClientDocuments } from '../outbound/client-documents.ts';
import { systemFetch } from '../outbound/guarded-fetch.ts';
import { limitedPerHost } from '../outbound/per-minute.ts';

const RETRY_AFTER = seconds(10);
/** How long keys are kept after their fetch for a guest that did not authenticate: not long, since they are not renewed. */
const UNPROVEN_KEPT = 600;

export function composeGuests({ oauth }: Config, { settings }: Ports, log: Log, ports: Omit<JudgePorts, 'keys'>) {
  const { now } = ports;
  const fetch = limitedPerHost(systemFetch(), now);
  const documents = new ClientDocuments({
    ...{ fetch, now, allowed: oauth.clientDocumentAddresses, hosts: settings.clientDocuments?.hosts ?? [] },
    logRefused: (url, { why, allow }) =>
      log.warn({ url, why, ...(allow && { allow }) }, 'document of a client not used'),
  });
  const logFailure = (url: string, why: string) => log.warn({ url, why }, 'keys of a client not fetched');
  const keys = new IssuerKeys({ fetch, now, logFailure });
  const keysFor = (by: string): JudgePorts['keys'] => ({
    keysOf: async (issuer) => (keys.hasKeysOf(issuer) || documents.mayFetch(by) ? keys.keysOf(issuer) : undefined),
    newestKeys: async (issuer) => (documents.mayFetch(by) ? keys.newestKeys(issuer) : undefined),
    failureOf: (issuer) => keys.failureOf(issuer),
  });
  return {
    readDocument: (url: ClientUrl, person: string) => documents.read(url, person),
    judge: async (assertion: string, { url, integration }: Guest, by: string) => {
      const document = await documents.read(url, by);
      if (!document.ok) {
        const { reason, claimed } = document.refusal;
        const isAway = reason === 'client-document-unavailable';
        return isAway
          ? refused({ reason: 'assertion-keys-unavailable' as const, retryAfter: RETRY_AFTER, claimed })
          : refused({ reason: 'client-unproven' as const, claimed });
      }
      const issuer = guestIssuer(document.value, integration);
      if (!issuer) return refuse('client-unproven');
      const verdict = await new AssertionJudge({ ...ports, keys: keysFor(by) }).judge(assertion, [issuer]);
      if (verdict.outcome.ok) documents.noteProven(document.value);
      return accept(verdict);
    },
    renewKeys: () =>
      keys.renewAll(
        documents.inUse().flatMap((document) => guestIssuer(document, {}) ?? []),
        UNPROVEN_KEPT,
      ),
  };
}
