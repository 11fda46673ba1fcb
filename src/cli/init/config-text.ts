import { inYaml } from '../../config/read.ts';

/** Flags of `tessera init`. */
export interface InitFlags {
  readonly publicUrl?: string;
  readonly dataFolder: string;
  readonly store?: string;
  readonly integration?: string;
  readonly scope?: string;
  readonly identity?: string;
  readonly operator?: string;
}

/** The first tessera.yaml: short, with comments on settings that are often changed. */
export function configText({ publicUrl, dataFolder, store }: InitFlags): string {
  return `# Settings of Tessera. Every setting is explained in docs/configuration.md; what is not here has its default.
# Check it with: tessera config check

${publicPart(publicUrl)}
# The keyring, the store and the server certificate are kept here.
dataFolder: ${inYaml(dataFolder)}
${storePart(store)}
listeners:
  - host: ${publicUrl === undefined ? '127.0.0.1   # loopback only; give publicUrl before you open it to others' : '0.0.0.0'}
    port: 8443
    tls:
      certificate: <dataFolder>/server.crt
      key: <dataFolder>/server.key
    # Whether callers are asked for a certificate: request, require or off.
    clientCertificates: request
  # For monitoring on this machine: /metrics, /healthz and /readyz. The listener above does not serve /metrics.
  - host: 127.0.0.1
    port: 9464
    doors: [ops]

# Behind a proxy, say which, and how it passes on the client certificate:
# proxies:
#   addresses: [10.0.0.0/24]
#   clientCertificateHeader: rfc9440

# How long an access token works, and for how long its grant can be refreshed. A leaked access token works until it expires or
# its grant is revoked, so keep it short if your callers refresh. Without these lines: 90d and 365d.
tokens:
  accessTokenLifetime: 1h
  grantLifetime: 90d
`;
}

function storePart(store: string | undefined): string {
  return store === undefined ? '' : `\n# Shared by all nodes: docs/postgresql.md.\nstore: ${inYaml(store)}\n`;
}

function publicPart(publicUrl: string | undefined): string {
  const why = '# The address under which callers and people reach the service.';
  return publicUrl === undefined
    ? `${why} Required beyond loopback.\n# publicUrl: https://tokens.example.com\n`
    : `${why}\npublicUrl: ${inYaml(publicUrl)}\n`;
}
