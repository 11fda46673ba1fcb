import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import fc from 'fast-check';
import type { DeviceId } from '../../../src/core/device.ts';
import type { GrantId } from '../../../src/core/grant.ts';
import { epochSeconds } from '../../../src/core/time.ts';
import { firstKey, Keyring } from '../../../src/tokens/keyring.ts';
import { firstTokenOf } from '../../../src/tokens/opaque/pair.ts';
import {
  ACCESS_SECRET_LENGTH,
  DEVICE_SECRET_LENGTH,
  type DeviceCode,
  keyIdOf,
  mintAccessToken,
  mintCode,
  mintRefreshToken,
  parseAccessToken,
  parseCode,
  parseRefreshToken,
  REFRESH_SECRET_LENGTH,
} from '../../../src/tokens/opaque/token-text.ts';

const keyring = new Keyring(firstKey());
const bytes = (length: number) =>
  fc.uint8Array({ minLength: length, maxLength: length }).map((array) => Buffer.from(array));
const id = bytes(16).map((buffer) => buffer.toString('hex'));
const uint32 = fc.integer({ min: 0, max: 0xffffffff });
const PLAIN = { noNullPrototype: true };

const refreshToken = fc.record(
  { grantId: id.map((hex) => hex as GrantId), generation: uint32, root: bytes(16), secret: bytes(16) },
  PLAIN,
);
const accessToken = fc.record(
  {
    grantId: id.map((hex) => hex as GrantId),
    generation: uint32,
    expiresAt: uint32.map(epochSeconds),
    secret: bytes(28),
  },
  PLAIN,
);
const deviceCode = fc.record(
  {
    deviceId: id.map((hex) => hex as DeviceId),
    keyId: fc.constant(1),
    expiresAt: uint32.map(epochSeconds),
    secret: bytes(32),
  },
  PLAIN,
);

test('[RFC 6749 10.10] a guess succeeds with odds of at most 2^-128: each kind has a secret and a MAC of 16 bytes or more', () => {
  const lengths = { refresh: REFRESH_SECRET_LENGTH, access: ACCESS_SECRET_LENGTH, device: DEVICE_SECRET_LENGTH };
  for (const [kind, length] of Object.entries(lengths)) assert.ok(length >= 16, kind);
  const token = { grantId: '0'.repeat(32) as GrantId, generation: 0, root: Buffer.alloc(16), secret: Buffer.alloc(16) };
  const tags = [keyring, new Keyring(firstKey())].map(({ minting }) =>
    Buffer.from(mintRefreshToken(token, minting).reveal().slice(4), 'base64url').subarray(-16),
  ) as [Buffer, Buffer];
  const same = [...tags[0]].filter((byte, at) => byte === tags[1][at]);
  assert.ok(tags[0].length === 16 && same.length < 6, 'all of the last 16 bytes depend on the key');
});

test('parse(mint(x)) = x for every kind of token', () => {
  fc.assert(
    fc.property(refreshToken, (token) =>
      assert.deepEqual(parseRefreshToken(mintRefreshToken(token, keyring.minting).reveal(), keyring), token),
    ),
  );
  fc.assert(
    fc.property(accessToken, (token) =>
      assert.deepEqual(parseAccessToken(mintAccessToken(token, keyring.minting).reveal(), keyring), token),
    ),
  );
  fc.assert(
    fc.property(deviceCode, fc.constantFrom('device', 'authorization'), (code, kind) =>
      assert.deepEqual(parseCode(kind, mintCode(kind, code, keyring.minting).reveal(), keyring), code),
    ),
  );
});

// Computed by another implementation (HKDF and HMAC of Python's library): tokens that callers hold must stay good.
const FIXED = new Keyring([{ kind: 'mac', id: 7, state: 'minting', secret: Buffer.alloc(32, 1) }]);
const FIXED_ID = '018f00000000000000000000000000aa';
const VECTORS = {
  refresh: 'tsr_AQcBjwAAAAAAAAAAAAAAAACqAAAABQICAgICAgICAgICAgICAgIDAwMDAwMDAwMDAwMDAwMD1Om_9jfWSjwFVjAbj9iWhg==',
  access: 'tsa_AgcBjwAAAAAAAAAAAAAAAACqAAAABWtJ0gAEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQE73A8itA8UD91CCcX5QumWA==',
  device: 'tsd_AwcBjwAAAAAAAAAAAAAAAACqa0nSAAUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFs9ztHu31UYjIYV8bTL0V5w==',
  code: 'tso_BAcBjwAAAAAAAAAAAAAAAACqa0nSAAUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUF3OYTgZOLjfJHKCm7UrF4NA==',
};

test('tokens of version 1 match the pinned vectors, byte for byte', () => {
  const grantId = FIXED_ID as GrantId;
  const expiresAt = epochSeconds(1_800_000_000);
  const refresh = { grantId, generation: 5, root: Buffer.alloc(16, 2), secret: Buffer.alloc(16, 3) };
  const access = { grantId, generation: 5, expiresAt, secret: Buffer.alloc(28, 4) };
  const device = { deviceId: FIXED_ID as DeviceId, keyId: 7, expiresAt, secret: Buffer.alloc(32, 5) };
  const minted = {
    refresh: mintRefreshToken(refresh, FIXED.minting).reveal(),
    access: mintAccessToken(access, FIXED.minting).reveal(),
    device: mintCode('device', device, FIXED.minting).reveal(),
    code: mintCode('authorization', device, FIXED.minting).reveal(),
  };
  assert.deepEqual(minted, VECTORS);
  assert.deepEqual(parseRefreshToken(VECTORS.refresh, FIXED), refresh);
  assert.deepEqual(parseAccessToken(VECTORS.access, FIXED), access);
  assert.deepEqual(parseCode('device', VECTORS.device, FIXED), device);
  assert.deepEqual(parseCode('authorization', VECTORS.code, FIXED), device);
});

const KINDS = {
  refresh: {
    prefix: 'tsr_',
    parse: parseRefreshToken,
    text: mintRefreshToken(sample(refreshToken), keyring.minting).reveal(),
  },
  access: {
    prefix: 'tsa_',
    parse: parseAccessToken,
    text: mintAccessToken(sample(accessToken), keyring.minting).reveal(),
  },
  device: {
    prefix: 'tsd_',
    parse: (text: string, keys: Keyring) => parseCode('device', text, keys),
    text: mintCode('device', sample(deviceCode), keyring.minting).reveal(),
  },
  code: {
    prefix: 'tso_',
    parse: (text: string, keys: Keyring) => parseCode('authorization', text, keys),
    text: mintCode('authorization', sample(deviceCode), keyring.minting).reveal(),
  },
};

test('the key of a token is named in its text, and in no other text', () => {
  for (const { text } of Object.values(KINDS)) assert.equal(keyIdOf(text), keyring.minting.id);
  for (const text of Object.values(VECTORS)) assert.equal(keyIdOf(text), FIXED.minting.id);
  for (const text of ['', 'tsa_', `x${VECTORS.access}`, `${VECTORS.access}=`]) assert.equal(keyIdOf(text), undefined);
});

for (const [kind, { prefix, parse, text }] of Object.entries(KINDS)) {
  const isRefused = (candidate: string) => assert.equal(parse(candidate, keyring), undefined, candidate);

  test(`${kind}: the text is prefix, b64token characters of RFC 6750 and a final ==`, () => {
    assert.match(text, new RegExp(`^${prefix}[A-Za-z0-9_-]{94}==$`));
    assert.ok(parse(text, keyring));
  });

  test(`${kind}: every truncation and extension is refused (CVE-2026-27840)`, () => {
    for (let length = 0; length < text.length; length++) isRefused(text.slice(0, length));
    for (let start = 1; start < text.length; start++) isRefused(text.slice(start));
    for (const more of ['=', 'A', '==', '\n', ' ', '\0', text]) isRefused(text + more);
    for (const before of [' ', 'Bearer ', '\n', prefix]) isRefused(before + text);
  });

  test(`${kind}: every bit flip is refused`, () => {
    const body = Buffer.from(text.slice(4), 'base64url');
    for (let bit = 0; bit < body.length * 8; bit++) {
      const flipped = Buffer.from(body);
      flipped.writeUInt8(flipped.readUInt8(bit >> 3) ^ (1 << (bit & 7)), bit >> 3);
      isRefused(`${prefix}${flipped.toString('base64url')}==`);
    }
  });

  test(`${kind}: any other character at any place is refused, including base64 aliases and foreign alphabets`, () => {
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_+/=. \n\0é';
    for (let at = 0; at < text.length; at++) {
      for (const other of alphabet) if (other !== text[at]) isRefused(text.slice(0, at) + other + text.slice(at + 1));
    }
  });

  test(`${kind}: missing padding, standard alphabet, percent-encoding and case changes are refused`, () => {
    isRefused(text.slice(0, -1));
    isRefused(text.slice(0, -2));
    isRefused(text.replaceAll('=', '%3D'));
    isRefused(text.toLowerCase());
    isRefused(text.toUpperCase());
    const standard = prefix + Buffer.from(text.slice(4), 'base64url').toString('base64');
    if (standard !== text) isRefused(standard);
  });

  test(`${kind}: a token is refused as any other kind, with and without its prefix changed`, () => {
    for (const other of Object.values(KINDS)) {
      if (other.parse === parse) continue;
      assert.equal(other.parse(text, keyring), undefined);
      assert.equal(other.parse(other.prefix + text.slice(4), keyring), undefined);
    }
  });

  test(`${kind}: tagged under another key, or a key id that is not in the ring, is refused`, () => {
    assert.equal(parse(text, new Keyring(firstKey())), undefined);
    assert.equal(
      parse(text, new Keyring([{ kind: 'mac', id: 2, state: 'minting', secret: randomBytes(32) }])),
      undefined,
    );
  });
}

function sample<T>(arbitrary: fc.Arbitrary<T>): T {
  const [value] = fc.sample(arbitrary, 1) as [T];
  return value;
}

test('the first secrets of a device code are those that another implementation of the specification derives', () => {
  const { root, secret, ...rest } = firstTokenOf(
    parseCode('device', VECTORS.device, FIXED) as DeviceCode,
    { at: epochSeconds(1_700_000_000), isAuthenticated: true },
    FIXED,
  );
  assert.deepEqual(rest, { grantId: '018bcfe56800000000000000000000aa', generation: 0 });
  assert.equal(root.toString('hex'), '0237400cb7024ee4475ff8fb17e8b782');
  assert.equal(secret.toString('hex'), '131ddb8c1ee18131bbd806aae3b0aa74');
});
