import type { Config, Listener } from './schema.ts';

/**
 * The name or address by which callers connect to a listener. Undefined if only proxies or monitoring do: they may use
 * another.
 */
export function publicNameOf(
  { doors, publicUrl: own }: Pick<Listener, 'doors' | 'publicUrl'>,
  { publicUrl, proxies }: Pick<Config, 'publicUrl' | 'proxies'>,
): string | undefined {
  if (proxies.addresses.length > 0 || doors?.every((door) => door === 'ops')) return undefined;
  // IPv6 addresses have brackets in an URL.
  return new URL(own ?? publicUrl).hostname.replace(/^\[(.+)\]$/, '$1');
}
