import type { Grant, Pair } from '../../core/grant.ts';
import { audiencesOf } from '../../core/rules/audience.ts';
import { parseScope } from '../../core/scope.ts';
import { accessTokenParts } from '../../tokens/access-token.ts';
import type { Ports } from '../ports.ts';

/** What the row of a new generation says about its access token. Computed with the decision, so that a retry reads it. */
export function accessTokenFacts(
  {
    format,
    scope: text,
    resource,
  }: Pick<Grant, 'format' | 'scope'> & { readonly resource?: Grant['resource'] | undefined },
  ports: Pick<Ports, 'keyring' | 'registry' | 'issuer'>,
): Pick<Pair, 'jwt'> {
  const audience = () => {
    const scope = parseScope(text);
    if (!scope) throw new Error('a grant has a scope that does not parse');
    return audiencesOf(scope, ports.registry.resourceServers, ports.issuer, resource);
  };
  return accessTokenParts(format, audience, ports);
}
