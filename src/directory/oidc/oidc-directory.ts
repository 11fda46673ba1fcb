// A directory whose people sign in at an OpenID provider: identities `LABEL:hex`. It answers only when somebody signs in.
import { accept } from '../../core/outcome.ts';
import type { Fetch } from '../../outbound/download.ts';
import type { Directory, DirectoryStep } from '../directory.ts';
import { NOBODYS } from '../side-by-side.ts';
import { type ClaimSettings, identityOf, isStrong } from './oidc-claims.ts';
import { OpenidProvider, type OpenidSettings } from './openid-provider.ts';

export interface OidcSettings extends OpenidSettings, ClaimSettings {
  readonly name?: string | undefined;
}

export function oidcDirectory(settings: OidcSettings, fetch: Fetch, milliseconds: () => number): Directory {
  const { label, name = label, maxAge } = settings;
  const provider = new OpenidProvider(settings, fetch, milliseconds);
  const nobody = async () => [];
  return {
    ...{ label, byUserName: nobody, byEmail: nobody, byUpn: nobody, passwords: NOBODYS },
    provider: {
      name,
      begin: (asked) => provider.authorizationUrl(asked),
      finish: async (response, asked) => {
        const answer = await provider.redeem(response, asked);
        const identity = answer.ok ? await identityOf(answer.value, settings) : answer;
        if (!answer.ok || !identity.ok) return identity as typeof identity & { ok: false };
        const { provenAt } = answer.value;
        return accept({ identity: identity.value, provenAt, isStrong: isStrong(answer.value, settings) });
      },
      signOutUrl: (returnTo) => provider.signOutUrl(returnTo),
    },
    elsewhere: {
      // Nothing can be asked until the next sign-in, so the row is used as long as that may be ago.
      times: { recheckAfter: maxAge, trustFor: maxAge },
      isWalked: false,
      // What was pushed about somebody counts instead.
      again: async (seen) => {
        const { pushed: _, ...row } = seen;
        return { ...row, enabled: false };
      },
      examine: () => examine(provider),
    },
  };
}

/** What can be seen without a person. */
async function* examine(provider: OpenidProvider): AsyncGenerator<DirectoryStep> {
  const found = await provider.configuration().catch((fault: Error) => fault);
  if (found instanceof Error) return yield { passed: false, words: found.message };
  const { issuer, authorization_endpoint: begins, token_endpoint: redeems } = found.serverMetadata();
  yield { passed: true, words: `${issuer}: TLS works, and its metadata names this issuer` };
  yield { passed: Boolean(begins && redeems), words: `sign-in begins at ${begins}, codes are redeemed at ${redeems}` };
}
