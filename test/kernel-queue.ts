// What the kernel holds of connections, as Linux shows it.
import { readFileSync } from 'node:fs';

/** Bytes that callers of this port have not accepted; undefined if the kernel has no connection of it. */
export function unsentOf(port: number): number | undefined {
  const hex = port.toString(16).toUpperCase().padStart(4, '0');
  const connection = new RegExp(`^ *\\d+: [0-9A-F]+:${hex} [0-9A-F]+:(?!0000)[0-9A-F]+ [0-9A-F]+ ([0-9A-F]+):`, 'gm');
  const sizes = [...readFileSync('/proc/self/net/tcp', 'latin1').matchAll(connection)].map((match) =>
    Number.parseInt(`${match[1]}`, 16),
  );
  return sizes.length > 0 ? sizes.reduce((sum, size) => sum + size) : undefined;
}
