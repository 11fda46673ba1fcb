// The proxy from the environment variables that curl and others use.
export type Environment = Readonly<Record<string, string | undefined>>;

/** The proxy for an address; undefined for a direct connection. Lower-case variables win, as with curl. */
export function proxyFor(target: URL, environment: Environment): URL | undefined {
  const scheme = target.protocol === 'https:' ? 'https_proxy' : 'http_proxy';
  const proxy = read(environment, scheme) || read(environment, 'all_proxy');
  if (!proxy || isExempt(target, read(environment, 'no_proxy'))) return undefined;
  const url = new URL(/^[a-z]+:\/\//i.test(proxy) ? proxy : `http://${proxy}`);
  if (url.protocol !== 'http:') throw new Error(`the proxy ${url.host} is not an http proxy`);
  return url;
}

/** `Proxy-Authorization`, if the proxy's address contains a user name and password. */
export function credentialsOf({ username, password }: URL): Record<string, string> {
  if (!username) return {};
  const pair = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return { 'proxy-authorization': `Basic ${Buffer.from(pair).toString('base64')}` };
}

function read(environment: Environment, name: string): string {
  return environment[name] ?? environment[name.toUpperCase()] ?? '';
}

/** `*`, or host names with or without a leading dot (subdomains match too), each with or without a port. */
function isExempt({ hostname, port, protocol }: URL, list: string): boolean {
  const ownPort = port || (protocol === 'https:' ? '443' : '80');
  return list.split(/[\s,]+/).some((entry) => {
    if (entry === '*') return true;
    const [, name = '', wantedPort] = /^\*?\.?(\[[^\]]*\]|[^:]*)(?::(\d+))?$/.exec(entry.toLowerCase()) ?? [];
    if (name === '' || (wantedPort && wantedPort !== ownPort)) return false;
    return hostname === name || hostname.endsWith(`.${name}`);
  });
}
