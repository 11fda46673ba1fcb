// Addresses as patterns, which documents publish. `URL` parses what they match, and writes a host in lower case the same way.

export const BYTE = '(?:25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])';
const IPV4 = `${BYTE}(?:\\.${BYTE}){3}`;

/** RFC 4291 2.2: `::` stands for one group or more, and the last two groups may be an IPv4 address. */
const GROUP = '[0-9A-Fa-f]{1,4}';
export const IPV6 = [
  `(?:${GROUP}:){7}${GROUP}`,
  `(?:${GROUP}:){6}${IPV4}`,
  ...[1, 2, 3, 4, 5, 6].map((most) => `(?:${GROUP}:){1,${most}}(?::${GROUP}){1,${7 - most}}`),
  `(?:${GROUP}:){1,7}:`,
  `:(?:(?::${GROUP}){1,7}|:)`,
  ...[1, 2, 3, 4, 5].map((most) => `(?:${GROUP}:){1,${most}}(?::${GROUP}){0,${5 - most}}:${IPV4}`),
  `:(?::${GROUP}){0,5}:${IPV4}`,
].join('|');

/** An IP address, or a network in CIDR notation. */
export const ADDRESS_RANGE = `^(?:${IPV4}(?:/(?:3[0-2]|[12]?[0-9]))?|(?:${IPV6})(?:/(?:12[0-8]|1[01][0-9]|[1-9]?[0-9]))?)$`;

/** A name, or an IPv4 address: a name whose last label is a number would be read as one. */
export const HOST = `(?:(?:[A-Za-z0-9_-]+\\.)*[A-Za-z_][A-Za-z0-9_-]*\\.?|${IPV4})`;
const PORTS = ['[1-9][0-9]{0,3}', '[1-5][0-9]{4}', '6[0-4][0-9]{3}', '65[0-4][0-9]{2}', '655[0-2][0-9]', '6553[0-5]'];
export const PORT = `(?:${PORTS.join('|')})(?![0-9])`;
