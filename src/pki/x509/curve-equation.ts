// Checks whether a point is on its curve: y² = x³ - 3x + b (FIPS 186-5, SP 800-186 3.2.1). This takes a few
// microseconds for the usual curves; loading the key with OpenSSL takes a hundred.

interface Curve {
  readonly prime: bigint;
  readonly b: bigint;
}

const CURVES: Readonly<Record<string, Curve>> = {
  'P-256': {
    prime: 2n ** 256n - 2n ** 224n + 2n ** 192n + 2n ** 96n - 1n,
    b: 0x5ac635d8aa3a93e7b3ebbd55769886bc651d06b0cc53b0f63bce3c3e27d2604bn,
  },
  'P-384': {
    prime: 2n ** 384n - 2n ** 128n - 2n ** 96n + 2n ** 32n - 1n,
    b: 0xb3312fa7e23ee7e4988e056be3f82d19181d9c6efe8141120314088f5013875ac656398d8a2ed19d2a85c8edd3ec2aefn,
  },
  'P-521': {
    prime: 2n ** 521n - 1n,
    b: 0x51953eb9618e1c9a1f929a21a0b68540eea2da725b99b315f3b8b489918ef109e156193951ec7e937b1652c0bd3bb1bf073573df883d2c34f1ef451fd46b503f00n,
  },
};

/** Undefined if only OpenSSL can check it: other curves, and compressed points. */
export function isOnCurve(name: string, point: Uint8Array): boolean | undefined {
  const curve = CURVES[name];
  if (!curve || point[0] !== 4) return undefined;
  const { prime, b } = curve;
  const size = (point.length - 1) / 2;
  const [x, y] = [numberAt(point, 1, size), numberAt(point, 1 + size, size)];
  if (x >= prime || y >= prime) return false;
  return (y * y - x * x * x + 3n * x - b) % prime === 0n;
}

function numberAt(octets: Uint8Array, start: number, length: number): bigint {
  return BigInt(`0x${Buffer.from(octets.buffer, octets.byteOffset + start, length).toString('hex')}`);
}
