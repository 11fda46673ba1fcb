// OpenSSL loads any octets as an Edwards key. With a point of small order anyone could forge signatures, so the point
// is checked here (RFC 8032 5.1.3 and 5.2.3).

export type EdwardsCurve = 'ed25519' | 'ed448';

interface Curve {
  readonly octets: number;
  readonly prime: bigint;
  readonly a: bigint;
  readonly d: bigint;
  /** The y coordinates of the points whose order divides the cofactor. */
  readonly smallOrder: readonly bigint[];
}

const P25519 = 2n ** 255n - 19n;
const P448 = 2n ** 448n - 2n ** 224n - 1n;
// The y coordinates of the points of order 8 on edwards25519; the others have order 1, 2 or 4.
const ORDER_8 = 0x7a03ac9277fdc74ec6cc392cfa53202a0f67100d760b3cba4fd84d3d706a17c7n;

const CURVES: Readonly<Record<EdwardsCurve, Curve>> = {
  ed25519: {
    octets: 32,
    prime: P25519,
    a: -1n,
    d: 37095705934669439343138083508754565189542113879843219016388785533085940283555n,
    smallOrder: [0n, 1n, P25519 - 1n, ORDER_8, P25519 - ORDER_8],
  },
  ed448: { octets: 57, prime: P448, a: 1n, d: -39081n, smallOrder: [0n, 1n, P448 - 1n] },
};

/** The cheap checks of an Edwards key: everything except whether the point is on the curve. */
export function isEdwardsKey(name: EdwardsCurve, key: Uint8Array): boolean {
  const { octets, prime, smallOrder } = CURVES[name];
  if (key.length !== octets) return false;
  const y = decodeY(key);
  return y < prime && !smallOrder.includes(y);
}

/** Takes a tenth of a millisecond, so it runs only for keys of a path whose signatures are valid. */
export function isOnEdwardsCurve(name: EdwardsCurve, key: Uint8Array): boolean {
  return hasX(decodeY(key), CURVES[name]);
}

/** Little-endian; the top bit is the sign of x. */
function decodeY(key: Uint8Array): bigint {
  const octets = Buffer.from(key).reverse();
  octets[0] = (octets[0] ?? 0) & 0x7f;
  return BigInt(`0x${octets.toString('hex')}`);
}

/** a x² + y² = 1 + d x² y², so x² = (1 - y²) / (a - d y²) must be a square. u/v is a square if u v is. */
function hasX(y: bigint, { prime, a, d }: Curve): boolean {
  const square = (y * y) % prime;
  return jacobi(modulo((1n - square) * (a - d * square), prime), prime) === 1;
}

function modulo(value: bigint, prime: bigint): bigint {
  return ((value % prime) + prime) % prime;
}

/**
 * The Jacobi symbol (value/odd), by quadratic reciprocity as in Euclid's algorithm: 1 for squares if `odd` is prime. Euler's
 * criterion gives the same result and takes ten times as long.
 */
function jacobi(value: bigint, odd: bigint): number {
  let [upper, lower, symbol] = [value, odd, 1];
  while (upper !== 0n) {
    const twos = trailingZeros(upper);
    upper >>= BigInt(twos);
    const [upperMod8, lowerMod8] = [lastBits(upper) & 7, lastBits(lower) & 7];
    // (2/n) is -1 if n is 3 or 5 modulo 8.
    if (twos % 2 === 1 && (lowerMod8 === 3 || lowerMod8 === 5)) symbol = -symbol;
    if (upperMod8 % 4 === 3 && lowerMod8 % 4 === 3) symbol = -symbol;
    [upper, lower] = [lower % upper, upper];
  }
  return lower === 1n ? symbol : 0;
}

function trailingZeros(value: bigint): number {
  let zeros = 0;
  for (let rest = value; ; rest >>= 32n, zeros += 32) {
    const bits = lastBits(rest);
    if (bits !== 0) return zeros + 31 - Math.clz32(bits & -bits);
  }
}

function lastBits(value: bigint): number {
  return Number(BigInt.asUintN(32, value));
}
