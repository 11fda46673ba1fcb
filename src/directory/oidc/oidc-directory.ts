// A directory whose people sign in at an OpenID provider: identities `LABEL:hex`. It answers only when somebody signs in.

import { accept } from '../../core/outcome.ts';
import type { RecheckTimes } from '../../core/rules/directory.ts';
import type { Seconds } from '../../core/time.ts';
import type { Directory, DirectoryStep, ProviderSignIn } from '../directory.ts';
import { NOBODYS } from '../side-by-side.ts';
import { type ClaimSettings, identityOf, isStrong } from './oidc-claims.ts';
import { type OpenidPorts, OpenidProvider, type OpenidSettings } from './openid-provider.ts';

export interface OidcSettings extends OpenidSettings, ClaimSettings {
  readonly name?: string | undefined;
  readonly maxAge: Seconds;
}

export function oidcDirectory(settings: OidcSettings, ports: OpenidPorts): Directory {
  const provider = new OpenidProvider(settings, ports);
  const nobody = async () => [];
  // Nothing can be asked until the next sign-in, so the row is used as long as that may be ago.
  const times: RecheckTimes = { recheckAfter: settings.maxAge, trustFor: settings.maxAge };
  return {
    label: settings.label,
    byUserName: nobody,
    byEmail: nobody,
    byUpn: nobody,
    passwords: NOBODYS,
    passwordRules: () => undefined,
    provider: signInAt(provider, settings),
    elsewhere: {
      times,
      isWalked: false,
      // What was pushed about somebody counts instead.
      again: async ({ pushed: _, ...row }) => ({ ...row, enabled: false }),
      examine: () => examine(provider, settings),
    },
  };
}

function signInAt(provider: OpenidProvider, settings: OidcSettings): ProviderSignIn {
  return {
    name: settings.name ?? settings.label,
    begin: (asked) => provider.authorizationUrl(asked),
    finish: async (response, asked) => {
      const answer = await provider.redeem(response, asked);
      if (!answer.ok) return answer;
      const identity = await identityOf(answer.value, settings);
      return identity.ok ? accept({ identity: identity.value, isStrong: isStrong(answer.value, settings) }) : identity;
    },
    signOutUrl: (returnTo) => provider.signOutUrl(returnTo),
  };
}

/** What can be seen without a person. */
async function* examine(provider: OpenidProvider, { issuer }: OidcSettings): AsyncGenerator<DirectoryStep> {
  const found = await provider.configuration().catch((fault: Error) => fault);
  if (found instanceof Error) return yield { passed: false, words: found.message };
  const { token_endpoint, authorization_endpoint, authorization_response_iss_parameter_supported } =
    found.serverMetadata();
  yield { passed: true, words: `${issuer}: TLS works, and its metadata names this issuer` };
  yield { passed: authorization_endpoint !== undefined, words: `people sign in at ${authorization_endpoint}` };
  yield { passed: token_endpoint !== undefined, words: `codes are redeemed at ${token_endpoint}` };
  const isNamed = authorization_response_iss_parameter_supported === true;
  yield { passed: true, words: `its responses ${isNamed ? 'name the issuer' : 'do not name the issuer (RFC 9207)'}` };
}
