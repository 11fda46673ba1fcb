// A directory whose people sign in at an OpenID provider: identities `LABEL:hex`. It answers only when somebody signs in.
import { isPlainName } from '../../core/certificate.ts';
import type { Identity } from '../../core/identity.ts';
import { accept, type Outcome, refused } from '../../core/outcome.ts';
import type { Fetch } from '../../outbound/download.ts';
import type { Directory, DirectoryStep } from '../directory.ts';
import { claimedId, type GroupPowers, groupsHere } from '../names-here.ts';
import { NOBODYS } from '../side-by-side.ts';
import { type Claims, type OpenidAnswer, OpenidProvider, type OpenidSettings } from './openid-provider.ts';

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

export interface ClaimSettings extends GroupPowers {
  readonly issuer: string;
  readonly idClaims: readonly string[];
  readonly claims: { readonly userName?: string | undefined; readonly groups?: string | undefined };
  readonly strong?: { readonly claim: string; readonly values: readonly string[] } | undefined;
}

const MOST_GROUPS = 1_000;

/** The id comes from the ID token alone; names and groups also from what the provider adds. */
export async function identityOf(
  answer: Pick<OpenidAnswer, 'claims' | 'userInfo'>,
  settings: ClaimSettings,
): Promise<Outcome<Identity, string>> {
  const { label, issuer, idClaims } = settings;
  const { userName = '', groups = '' } = settings.claims;
  const values = idClaims.map((name) => answer.claims[name]);
  const flawed = idClaims.find((_, at) => !isIdText(values[at]));
  if (flawed !== undefined) return refused(`the ID token has no usable claim ${flawed}`);
  const isComplete = ['email', userName, groups].every((name) => name === '' || answer.claims[name] !== undefined);
  const sources = [answer.claims, ...(isComplete ? [] : [await answer.userInfo()])];
  const from = (name: string) => sources.find((claims) => claims[name] !== undefined) ?? {};
  const listed = [from(groups)[groups] ?? []].flat();
  if (listed.length > MOST_GROUPS || (listed.length === 0 && sources.some((claims) => areElsewhere(claims, groups))))
    return refused('the person has too many groups');
  const email = from('email')['email_verified'] === true ? from('email')['email'] : undefined;
  return accept({
    id: claimedId(label, issuer, values as string[]),
    enabled: true,
    mayUseApi: true,
    groups: groupsHere(listed.filter(isName), settings),
    ...nameAs('userName', from(userName)[userName]),
    ...nameAs('email', email),
  });
}

export function isStrong({ claims }: OpenidAnswer, { strong }: ClaimSettings): boolean {
  return [claims[strong?.claim ?? '']].flat().some((value) => isName(value) && strong?.values.includes(value));
}

/** Without NUL, which separates the claims of an id. */
function isIdText(value: unknown): boolean {
  return typeof value === 'string' && value !== '' && !value.includes('\0');
}

function isName(value: unknown): value is string {
  return typeof value === 'string' && isPlainName(value);
}

function nameAs(property: 'userName' | 'email', value: unknown): Partial<Identity> {
  return isName(value) ? { [property]: value } : {};
}

/** OpenID Connect Core 5.6.2: Entra ID does this if somebody has too many groups, which is not none. */
function areElsewhere(claims: Claims, groups: string): boolean {
  const { [CLAIM_NAMES]: elsewhere } = claims;
  return Object.hasOwn(Object(elsewhere), groups);
}

const CLAIM_NAMES = '_claim_names';
