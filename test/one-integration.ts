import type { Integration } from '../src/core/integration.ts';
import type { Registry } from '../src/operations/ports.ts';

/** A registry with one integration under every client id, and nothing else. */
export function oneIntegration(integration: Integration): Registry {
  return {
    integration: () => integration,
    findIntegration: async () => integration,
    integrations: [integration],
    issuers: [],
    tokenIssuers: [],
    resourceServers: [],
    lookForIssuers: async () => [],
    lookForTokenIssuers: async () => [],
    allResourceServers: [],
    allIssuers: [],
    allTokenIssuers: [],
    lookForResourceServers: async () => [],
    signingKeys: [],
    signingKey: undefined,
  };
}
