// What a browser answers for a passkey (WebAuthn 7.1 and 7.2). No other file knows the library that checks it.
import type { RegistrationResponseJSON } from '@simplewebauthn/server';
import { firstHalf } from '../../core/hex.ts';
import { accept, type PersonOutcome, refuse } from '../../core/outcome.ts';
import type { Passkey } from '../../core/passkey.ts';
import type { EpochSeconds } from '../../core/time.ts';
import type { UsedAssertion } from '../../store/tables/attempts.ts';
import { sha256 } from '../../tokens/sha256.ts';

export interface PasskeyAnswer {
  /** The credential, as JSON of the browser. */
  readonly credential: string;
  /** The host name that passkeys are made for, and the origin of the pages. */
  readonly party: { readonly id: string; readonly origin: string };
  /** When a challenge of this browser ends; undefined if it is none of them. */
  readonly challengeEnd: (challenge: string) => EpochSeconds | undefined;
}

/** An answer to one of our challenges, from one of our pages. Nothing else of it was checked. */
export interface OpenedAnswer {
  readonly challenge: UsedAssertion;
  /** What the authenticator says it is: the identity, and the id of the credential. */
  readonly names: { readonly identityId: string; readonly credentialId: string };
  /** For the library. `never`: it can be anything, and is checked there. */
  readonly given: {
    readonly response: never;
    readonly expectedChallenge: string;
    readonly expectedOrigin: string;
    readonly expectedRPID: string;
    readonly requireUserVerification: true;
  };
}

/** Costs nearly nothing: anybody can send anything. */
export function openAnswer({ credential, party, challengeEnd }: PasskeyAnswer): PersonOutcome<OpenedAnswer> {
  const sent = readJson(credential);
  const { clientDataJSON, userHandle } = Object(sent['response']);
  const { challenge, origin } = readJson(decoded(clientDataJSON));
  const expectedChallenge = String(challenge);
  const endsAt = challengeEnd(expectedChallenge);
  if (endsAt === undefined) return refuse('passkey-refused', { rule: 'challenge' });
  if (origin !== party.origin) return refuse('passkey-refused', { rule: 'origin' });
  const expected = { expectedChallenge, expectedOrigin: party.origin, expectedRPID: party.id } as const;
  return accept({
    challenge: { mark: sha256(expectedChallenge), endsAt },
    names: { identityId: decoded(userHandle), credentialId: String(sent['id']) },
    given: { response: sent as never, ...expected, requireUserVerification: true },
  });
}

type NewPasskey = Pick<Passkey, 'id' | 'credentialId' | 'publicKey' | 'counter'>;

export function checkNewPasskey({ given }: OpenedAnswer): Promise<PersonOutcome<NewPasskey>> {
  return unlessThrown(async () => {
    if (!(await isWithoutCertificates(given.response))) return undefined;
    const { registrationInfo } = await (await library()).verifyRegistrationResponse(given);
    if (!registrationInfo) return undefined;
    const { id: credentialId, publicKey, counter } = registrationInfo.credential;
    const id = firstHalf(sha256(credentialId));
    return { id, credentialId, publicKey: Buffer.from(publicKey).toString('base64url'), counter };
  });
}

/** Its counter, which rules/passkey.ts compares. */
export function checkPasskey({ given }: OpenedAnswer, passkey: Passkey): Promise<PersonOutcome<number>> {
  return unlessThrown(async () => {
    const publicKey = Buffer.from(passkey.publicKey, 'base64url');
    const credential = { id: passkey.credentialId, publicKey, counter: 0 };
    const { verifyAuthenticationResponse } = await library();
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({ ...given, credential });
    return verified ? authenticationInfo.newCounter : undefined;
  });
}

/** It takes a fifth of a second to load, so only those who use passkeys wait for it. */
const library = () => import('@simplewebauthn/server');

/** Pages ask for no attestation. For one with certificates the library would fetch lists from addresses that these name. */
async function isWithoutCertificates({ response }: RegistrationResponseJSON): Promise<boolean> {
  const { decodeAttestationObject } = await import('@simplewebauthn/server/helpers');
  const attestation = decodeAttestationObject(Buffer.from(response.attestationObject, 'base64url'));
  const format = attestation.get('fmt');
  return format === 'none' || (format === 'packed' && attestation.get('attStmt').get('x5c') === undefined);
}

/** The library throws whatever is wrong with an answer. */
async function unlessThrown<T>(check: () => Promise<T | undefined>): Promise<PersonOutcome<T>> {
  const checked = await check().catch(() => undefined);
  return checked === undefined ? refuse('passkey-refused', { rule: 'authenticator' }) : accept(checked);
}

function decoded(text: unknown): string {
  return Buffer.from(String(text), 'base64url').toString();
}

function readJson(text: string): Readonly<Record<string, unknown>> {
  try {
    return Object(JSON.parse(text));
  } catch {
    return {};
  }
}
