// What ends by itself: counted for /metrics while it ends soon or has ended, and logged when that begins, then once a day.
import { endingSecrets } from '../core/rules/client.ts';
import { validityState, whyRefused } from '../core/rules/expiry.ts';
import { earlier, isoTime } from '../core/time.ts';
import { RepeatedLines } from '../log/repeated-lines.ts';
import { endingIssuers } from '../operations/upkeep/ending-issuers.ts';
import type { FollowedRegistry } from '../store/registry.ts';
import type { Parts } from './parts.ts';

const REMIND_MS = 86_400_000;
/** More than anybody registers. */
const MOST_ENDINGS = 100_000;

type EndingParts = Pick<Parts, 'metrics' | 'log' | 'certificates'> & { readonly ports: Pick<Parts['ports'], 'clock'> };

export function watchEndings(
  { ports: { clock }, metrics, log, certificates }: EndingParts,
  registry: Pick<FollowedRegistry, 'integrations' | 'issuers'>,
): () => Promise<void> {
  const lines = new RepeatedLines(REMIND_MS, clock.milliseconds, MOST_ENDINGS);
  const warn = (about: Readonly<Record<string, unknown>>, message: string) =>
    lines.take(`${message} ${JSON.stringify(about)}`) !== undefined && log.warn(about, message);
  return async () => {
    const now = clock.now();
    const served = [...certificates.values()];
    const secrets = endingSecrets(registry.integrations, now);
    const issuers = endingIssuers(registry.issuers, now);
    metrics.endingSecrets = secrets.length;
    const server = served.filter((validity) => validityState(validity, now) !== 'valid').length;
    metrics.endingCertificates = { server, issuer: issuers.length };
    metrics.certificateEnd = served.length > 0 ? served.map(({ to }) => to).reduce(earlier) : undefined;
    for (const secret of secrets) warn(secret, secret.endsAt <= now ? 'secret has ended' : 'secret ends soon');
    for (const { label, validity } of issuers)
      warn(
        { issuer: label, why: whyRefused(validity, now) ?? `expires at ${isoTime(validity.to)}` },
        'the certificate of an approved issuer ends soon, or its callers are refused',
      );
  };
}
