// Which addresses the service connects to for untrusted URLs: public ones, and those an operator allows.
import { BlockList, isIP } from 'node:net';
import { ADDRESS_RANGE } from '../core/address-pattern.ts';

const RANGE = new RegExp(ADDRESS_RANGE);

/** Address ranges off the public internet (IANA special-purpose registries), by kind. */
const SPECIAL: Readonly<Record<string, readonly string[]>> = {
  loopback: ['127.0.0.0/8', '::1/128'],
  private: ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', '100.64.0.0/10', 'fc00::/7', 'fec0::/10'],
  'link-local': ['169.254.0.0/16', 'fe80::/10'],
  multicast: ['224.0.0.0/4', 'ff00::/8'],
  reserved: [
    ...[
      '0.0.0.0/8',
      '192.0.0.0/24',
      '192.0.2.0/24',
      '192.88.99.0/24',
      '198.18.0.0/15',
      '198.51.100.0/24',
      '203.0.113.0/24',
      '240.0.0.0/4',
    ],
    // Tunnels embed an IPv4 address, which would need a check of its own, so they are refused.
    ...['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20'],
  ],
};

const LISTS = new Map(Object.entries(SPECIAL).map(([kind, ranges]) => [kind, blockList(ranges)]));

/** IPv4 inside IPv6: mapped and translated addresses (RFC 4291 2.5.5.2, RFC 6052) lead to the IPv4 address. */
const EMBEDDING = blockList(['::ffff:0:0/96', '64:ff9b::/96']);
/** All other public IPv6 addresses (RFC 4291 2.4): the rest is special, or not assigned. */
const GLOBAL = blockList(['2000::/3']);

/** `allowed`: the operator's addresses and networks (CIDR). */
export function whyNotReachable(address: string, allowed: readonly string[] = []): string | undefined {
  const version = isIP(address);
  if (version === 0) return `${address} is not an IP address`;
  if (isListed(blockList(allowed), address)) return undefined;
  const kind = kindOf(address);
  return kind && `the address ${address} is ${kind} and not one of the issuer's allowed addresses`;
}

/** An IP address, or a network in CIDR notation. */
export function isAddressRange(text: string): boolean {
  return RANGE.test(text);
}

function kindOf(address: string): string | undefined {
  for (const [kind, list] of LISTS) if (isListed(list, address)) return kind;
  if (isIP(address) === 4 || isListed(GLOBAL, address)) return undefined;
  const inner = embeddedIn(address);
  return inner === undefined ? 'reserved' : kindOf(inner);
}

function embeddedIn(address: string): string | undefined {
  if (!isListed(EMBEDDING, address)) return undefined;
  // URL normalises the text: 16 bits between two colons, and nothing for zeros.
  const groups = new URL(`http://[${withoutZone(address)}]`).hostname.slice(1, -1).split(':').slice(-2);
  const octets = Buffer.from(groups.map((group) => group.padStart(4, '0')).join(''), 'hex');
  return octets.join('.');
}

function isListed(list: BlockList, address: string): boolean {
  return list.check(withoutZone(address), isIP(address) === 6 ? 'ipv6' : 'ipv4');
}

/** Whether an address is in one of these, given as addresses and networks (CIDR). */
export function rangeMatcher(ranges: readonly string[]): (address: string) => boolean {
  if (ranges.length === 0) return () => false; // asked for every request: looking into an empty list takes 2 % of a refresh
  const list = blockList(ranges);
  return (address) => isIP(address) !== 0 && isListed(list, address);
}

function withoutZone(address: string): string {
  return address.split('%')[0] ?? address;
}

function blockList(ranges: readonly string[]): BlockList {
  const list = new BlockList();
  for (const range of ranges.filter(isAddressRange)) {
    const [address = '', bits] = range.split('/');
    const version = isIP(address) === 6 ? 'ipv6' : 'ipv4';
    if (bits === undefined) list.addAddress(address, version);
    else list.addSubnet(address, Number(bits), version);
  }
  return list;
}
