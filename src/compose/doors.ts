// What the doors get from the configuration.
import { ConfigFault } from '../config/mistake.ts';
import type { Config } from '../config/schema.ts';
import { asksForCertificates, servedDoors, serves, takesHeader } from '../config/served-doors.ts';
import { networkMatcher } from '../doors/caller/connection.ts';
import type { DoorParts } from '../doors/doors.ts';
import { addressLimit, RateLimit } from '../doors/http/rate-limit.ts';
import { type Look, readLook } from '../doors/pages/parts/assets.ts';
import type { Log } from '../log/log.ts';
import { ClientDocuments } from '../outbound/client-documents.ts';
import { systemFetch } from '../outbound/guarded-fetch.ts';
import type { ServiceParts } from '../serve/listener.ts';
import { VERSION } from '../version.ts';

/** The address for callers with a client certificate, if a listener for them has one of its own. */
function certificateUrlOf({ listeners, proxies, publicUrl }: Config): string | undefined {
  const apart = listeners.filter(
    (listener) => serves(listener, 'oauth') && listener.publicUrl !== undefined && listener.publicUrl !== publicUrl,
  );
  const found = apart.find(asksForCertificates) ?? (takesHeader(proxies) ? apart[0] : undefined);
  return found?.publicUrl;
}

/** Events about reused tokens of one identity, if reuse is only reported. The metrics count every reuse. */
const REPORTS = { perMinute: 1, burst: 60 };

export function doorParts(
  config: Config,
  shared: Pick<DoorParts, 'ports' | 'callerPorts' | 'metrics' | 'readiness' | 'keeper' | 'readConnection' | 'onCap'>,
  log: Log,
): DoorParts & Pick<ServiceParts, 'overLineLimit'> {
  const { limits, authsvc, oauth, publicUrl, pages } = config;
  const rate = ({ perMinute, burst }: { perMinute: number; burst: number }) =>
    new RateLimit({ burst, perSecond: perMinute / 60 }, shared.ports.clock.milliseconds);
  const isExempt = networkMatcher(limits.exemptNetworks);
  const lines = rate(limits.requestsPerAddress);
  const documents = new ClientDocuments({
    fetch: systemFetch(),
    now: shared.ports.clock.now,
    allowed: oauth.clientDocumentAddresses,
    logRefused: (url, why) => log.warn({ url, why }, 'document of a client not used'),
  });
  return {
    ...shared,
    publicUrl,
    certificateUrl: certificateUrlOf(config),
    version: VERSION,
    servedDoors: servedDoors(config),
    overLimit: addressLimit(rate(limits.requestsPerAddress), shared.readConnection, isExempt),
    overLineLimit: ({ network, presenter }, { operation, reason }) =>
      !isExempt(presenter.address) && lines.take(`${network} ${operation} ${reason}`) !== undefined,
    overCheckLimit: addressLimit(rate(limits.checksPerAddress), shared.readConnection, isExempt),
    perIntegration: { grants: rate(limits.requestsPerIntegration), devices: rate(limits.requestsPerIntegration) },
    caps: {
      grants: [
        { setting: 'limits.grantsPerIdentity', of: 'identityId', rate: rate(limits.grantsPerIdentity) },
        { setting: 'limits.grantsPerIntegration', of: 'clientId', rate: rate(limits.grantsPerIntegration) },
      ],
      refreshes: [
        { setting: 'limits.refreshesPerGrant', of: 'grantId', rate: rate(limits.refreshesPerGrant) },
        { setting: 'limits.refreshesPerIdentity', of: 'identityId', rate: rate(limits.refreshesPerIdentity) },
      ],
      reports: [{ setting: 'onReuse: report', of: 'identityId', rate: rate(REPORTS) }],
    },
    authsvcMounts: authsvc.mounts,
    oauthMount: oauth.enabled ? oauth.mount : undefined,
    scimDirectories: config.directories.flatMap((one) =>
      one.kind === 'oidc' && one.scim ? [{ ...one.scim, label: one.label, issuer: one.issuer }] : [],
    ),
    readDocument: (url, person) => documents.read(url, person),
    look: lookOf(pages),
  };
}

function lookOf(pages: Config['pages']): Look {
  try {
    return readLook(pages);
  } catch (error) {
    const problem = `${pages.logo} cannot be read (${(error as NodeJS.ErrnoException).code})`;
    throw new ConfigFault([
      { path: 'pages.logo', problem, todo: 'Put an SVG or PNG file there, or leave the setting out.' },
    ]);
  }
}
