// An authenticator in software, for claims about what goes over the wire: it also lies, as a real one never would.
import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto';
import { inviteToPasskey } from '../../../src/operations/admin/identities.ts';
import { TAG } from '../../../src/pki/der/der.ts';
import { write, writeSequence } from '../../../src/pki/der/der-write.ts';
import { systemRandom } from '../../../src/system.ts';
import { makeAuthority } from '../../authority.ts';
import { accepted } from '../../node.ts';
import { OPERATOR } from '../../samples.ts';
import { attribute } from '../../signed-der.ts';
import { PASSWORD, type RunningService } from './running-service.ts';
import { type Seen, Visitor } from './visitor.ts';

interface Options {
  readonly challenge: string;
}

/** What is said instead of the truth. */
export interface Lies {
  readonly origin?: string;
  readonly counter?: number;
  readonly userHandle?: string;
  readonly challenge?: string;
  readonly isVerified?: boolean;
  readonly type?: string;
  /** How a new passkey vouches for itself: with its own key, or a certificate too. Without it: not at all. */
  readonly attestation?: 'own-key' | 'certificate';
}

const AUTHENTICATORS = makeAuthority();
/** WebAuthn 8.2.1. */
const AUTHENTICATOR = writeSequence(
  ...[
    ['2.5.4.6', 'SE'],
    ['2.5.4.10', 'Example'],
    ['2.5.4.11', 'Authenticator Attestation'],
    ['2.5.4.3', 'Model 1'],
  ].map(([type = '', value = '']) => write(TAG.set, attribute(type, value))),
);

const [PRESENT, VERIFIED, HAS_KEY] = [0x01, 0x04, 0x40];

export class SoftwarePasskey {
  readonly id = randomBytes(32).toString('base64url');
  readonly #keys = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  readonly #origin: string;
  #userHandle = '';
  counter = 1;

  constructor({ url }: Pick<RunningService, 'url'>) {
    this.#origin = new URL(url).origin;
  }

  create({ challenge, user }: Options & { readonly user: { readonly id: string } }, lies: Lies = {}): string {
    this.#userHandle = user.id;
    const key = Buffer.concat([
      Buffer.alloc(16),
      Buffer.from([0, 32]),
      Buffer.from(this.id, 'base64url'),
      this.#cose(),
    ]);
    const data = Buffer.concat([this.#head(HAS_KEY, lies), key]);
    const client = this.#clientData('webauthn.create', challenge, lies);
    const attestationObject = Buffer.concat([
      Buffer.of(0xa3),
      ...[
        text('fmt'),
        text(lies.attestation ? 'packed' : 'none'),
        text('attStmt'),
        this.#statement(data, client, lies),
      ],
      ...[text('authData'), bytes(data)],
    ]).toString('base64url');
    return this.#credential({ attestationObject, clientDataJSON: client.toString('base64url') });
  }

  /** WebAuthn 8.2 and 8.7. */
  #statement(data: Buffer, client: Buffer, { attestation }: Lies): Buffer {
    if (!attestation) return Buffer.of(0xa0);
    const certificate = attestation === 'certificate' ? AUTHENTICATORS.issue({ subject: AUTHENTICATOR }) : undefined;
    const key = certificate?.keys.privateKey ?? this.#keys.privateKey;
    const signature = sign('sha256', Buffer.concat([data, sha256(client)]), key);
    const own = [text('alg'), Buffer.of(0x26), text('sig'), bytes(signature)];
    const leaf = certificate && [text('x5c'), Buffer.of(0x81), bytes(certificate.chain[0] as Uint8Array)];
    return Buffer.concat([Buffer.of(leaf ? 0xa3 : 0xa2), ...own, ...(leaf ?? [])]);
  }

  get({ challenge }: Options, lies: Lies = {}): string {
    this.counter += 1;
    const data = this.#head(0, lies);
    const client = this.#clientData('webauthn.get', challenge, lies);
    const signature = sign('sha256', Buffer.concat([data, sha256(client)]), this.#keys.privateKey);
    return this.#credential({
      authenticatorData: data.toString('base64url'),
      clientDataJSON: client.toString('base64url'),
      signature: signature.toString('base64url'),
      userHandle: lies.userHandle ?? this.#userHandle,
    });
  }

  #credential(response: object): string {
    const { id } = this;
    return JSON.stringify({ id, rawId: id, type: 'public-key', clientExtensionResults: {}, response });
  }

  #head(flags: number, { counter = this.counter, isVerified = true }: Lies): Buffer {
    const numbers = Buffer.alloc(5);
    numbers[0] = PRESENT | flags | (isVerified ? VERIFIED : 0);
    numbers.writeUInt32BE(counter, 1);
    return Buffer.concat([sha256(new URL(this.#origin).hostname), numbers]);
  }

  #clientData(usual: string, challenge: string, lies: Lies): Buffer {
    const { type = usual, origin = this.#origin } = lies;
    return Buffer.from(JSON.stringify({ type, challenge: lies.challenge ?? challenge, origin, crossOrigin: false }));
  }

  /** RFC 9053 7.1.1: an EC2 key for ES256. */
  #cose(): Buffer {
    const { x = '', y = '' } = this.#keys.publicKey.export({ format: 'jwk' });
    const head = Buffer.from([0xa5, 1, 2, 3, 0x26, 0x20, 1, 0x21, 0x58, 32]);
    const [one, two] = [Buffer.from(x, 'base64url'), Buffer.from(y, 'base64url')];
    return Buffer.concat([head, one, Buffer.from([0x22, 0x58, 32]), two]);
  }
}

/** CBOR (RFC 8949 3). */
function text(value: string): Buffer {
  return Buffer.concat([Buffer.of(0x60 + value.length), Buffer.from(value)]);
}

function bytes(value: Uint8Array): Buffer {
  return Buffer.concat([Buffer.of(0x59, value.length >> 8, value.length & 0xff), value]);
}

function sha256(data: Buffer | string): Buffer {
  return createHash('sha256').update(data).digest();
}

type Service = Pick<RunningService, 'url' | 'authority'> & Partial<Pick<RunningService, 'store'>>;

/** Registers a new passkey of somebody who signs in with the password: by invitation, if the store is at hand. */
export async function registered(service: Service, userName = 'ada', password = PASSWORD): Promise<SoftwarePasskey> {
  const visitor = new Visitor(service);
  await visitor.signIn(userName, password);
  const passkey = new SoftwarePasskey(service);
  const invitation = service.store && (await invitationFor(userName, service.store));
  const { status, text } = await register(visitor, passkey, {}, invitation);
  if (status !== 303) throw new Error(`not registered: ${status} ${text}`);
  return passkey;
}

export async function invitationFor(userName: string, store: RunningService['store']): Promise<string> {
  return accepted(await inviteToPasskey(userName, { store, by: OPERATOR, random: systemRandom })).invitation;
}

export async function register(
  visitor: Visitor,
  passkey: SoftwarePasskey,
  lies: Lies = {},
  invitation = '',
): Promise<Seen> {
  await visitor.get('/account/passkeys');
  const options = JSON.parse((await visitor.get('/account/passkeys/options')).text);
  const credential = passkey.create(options, lies);
  return visitor.post('/account/passkeys', { name: 'software', credential, invitation });
}

/** A sign-in with a passkey; `fields` are the others of the form. */
export async function signInWith(
  visitor: Visitor,
  passkey: SoftwarePasskey,
  lies: Lies = {},
  fields: Readonly<Record<string, string>> = {},
): Promise<Seen> {
  return visitor.post('/account/sign-in', { ...fields, credential: passkey.get(await challengeFor(visitor), lies) });
}

export async function challengeFor(visitor: Visitor): Promise<Options> {
  await visitor.get('/account/sign-in');
  return JSON.parse((await visitor.get('/account/sign-in/passkey')).text);
}
