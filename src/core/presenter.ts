/** Who sent a request, as far as the connection shows. Displayed to people and stored in events; proves nothing. */
export interface Presenter {
  readonly address: string;
  readonly agent: string;
  /** The trace that the request belongs to, if the caller named one. Stored in events, not in grants. */
  readonly traceId?: string;
}

const ADDRESS_MAX_LENGTH = 45;
export const AGENT_MAX_LENGTH = 80;

/** Control characters and excess length never reach a row, a page or a log line. */
export function presenter(address: string, agent: string): Presenter {
  // An address contains no space: rows store both in one text, and the first space ends the address.
  const solid = address.replaceAll(' ', '?');
  return { address: printable(solid, ADDRESS_MAX_LENGTH), agent: printable(agent, AGENT_MAX_LENGTH) };
}

export function isSamePresenter(a: Presenter, b: Presenter): boolean {
  return a.address === b.address && a.agent === b.agent;
}

function printable(text: string, maxLength: number): string {
  return text.replace(/[^\u0020-\u007e]/g, '?').slice(0, maxLength);
}

const MAPPED_IPV4 = /^::ffff:([0-9.]+)$/i;

/** The key for limits per address. An IPv6 caller can choose from a whole /64, so the network counts. */
export function networkOf(address: string): string {
  const plain = MAPPED_IPV4.exec(address)?.[1] ?? address;
  return plain.includes(':') ? `${leadingGroups(plain, 4)}::/64` : plain;
}

/** The larger network of an address: IPv4 /24, IPv6 /48. */
export function neighbourhoodOf(address: string): string {
  const plain = MAPPED_IPV4.exec(address)?.[1] ?? address;
  return plain.includes(':') ? `${leadingGroups(plain, 3)}::/48` : `${plain.replace(/\.\d+$/, '')}.0/24`;
}

function leadingGroups(address: string, count: number): string {
  const [head = '', tail] = address.split('::');
  const before = head === '' ? [] : head.split(':');
  const behind = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros = tail === undefined ? 0 : Math.max(0, 8 - before.length - behind.length);
  const groups = [...before, ...Array<string>(zeros).fill('0'), ...behind].slice(0, count);
  return groups.map((group) => group.replace(/^0+(?=.)/, '').toLowerCase()).join(':');
}
