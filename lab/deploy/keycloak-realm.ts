// The realm of `npm run lab -- keycloak`, as docs/directories.md tells operators to set it up, and Keycloak's administration.
import { createHmac } from 'node:crypto';

export const REALM = 'corp';
export const CLIENT_SECRET = 'the-secret-of-the-client';
export const ADMIN = { username: 'admin', password: 'the-password-of-the-admin' } as const;
const OTP_SECRET = 'a-secret-of-twenty-b';

export function passwordOf(name: string): string {
  return `the-password-of-${name}`;
}

export function realmFor(serviceUrl: string) {
  const person = (username: string, groups: readonly string[], more: object[] = []) => ({
    ...{ username, enabled: true, email: `${username}@example.org`, emailVerified: username !== 'heidi' },
    ...{ firstName: username, lastName: 'Example', groups },
    credentials: [{ type: 'password', value: passwordOf(username) }, ...more],
  });
  const otp = {
    type: 'otp',
    secretData: JSON.stringify({ value: OTP_SECRET }),
    credentialData: JSON.stringify({ subType: 'totp', digits: 6, counter: 0, period: 30, algorithm: 'HmacSHA1' }),
  };
  const config = { 'claim.name': 'groups', 'full.path': 'false', 'id.token.claim': 'true' };
  return {
    ...{ realm: REALM, enabled: true, groups: [{ name: 'ops' }, { name: 'sales' }] },
    clients: [
      {
        ...{ clientId: 'tessera', secret: CLIENT_SECRET, publicClient: false },
        redirectUris: [`${serviceUrl}/account/provider/corp`],
        attributes: {
          'post.logout.redirect.uris': `${serviceUrl}/account/sign-in?done=signed-out`,
          'pkce.code.challenge.method': 'S256',
        },
        protocolMappers: [
          { name: 'groups', protocol: 'openid-connect', protocolMapper: 'oidc-group-membership-mapper', config },
        ],
      },
    ],
    users: [person('grace', ['/ops']), person('heidi', ['/sales']), person('olga', ['/ops'], [otp])],
  };
}

export type Admin = (method: string, path: string, body?: object) => Promise<unknown>;

/** Keycloak's own administration. Its tokens live for a minute. */
export async function adminOf(port: number): Promise<Admin> {
  const token = async () => {
    const body = new URLSearchParams({ grant_type: 'password', client_id: 'admin-cli', ...ADMIN });
    const url = `http://127.0.0.1:${port}/realms/master/protocol/openid-connect/token`;
    const { access_token } = (await (await fetch(url, { method: 'POST', body })).json()) as { access_token: string };
    return access_token;
  };
  return async (method, path, body) => {
    const response = await fetch(`http://127.0.0.1:${port}/admin/realms/${REALM}${path}`, {
      method,
      headers: { authorization: `Bearer ${await token()}`, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    return text === '' ? undefined : JSON.parse(text);
  };
}

/** Levels of authentication: the first with a password, the second with a one-time password, which this client always needs. */
export async function requireSecondFactor(admin: Admin): Promise<void> {
  const flow = (parent: string, alias: string) =>
    admin('POST', `/authentication/flows/${encodeURIComponent(parent)}/executions/flow`, {
      ...{ alias, type: 'basic-flow', provider: 'registration-page-form', description: '' },
    });
  const step = (parent: string, provider: string) =>
    admin('POST', `/authentication/flows/${encodeURIComponent(parent)}/executions/execution`, { provider });
  await admin('POST', '/authentication/flows', {
    alias: 'levels',
    providerId: 'basic-flow',
    topLevel: true,
    builtIn: false,
  });
  await step('levels', 'auth-cookie');
  await flow('levels', 'levels forms');
  for (const [level, provider] of [
    ['level one', 'auth-username-password-form'],
    ['level two', 'auth-otp-form'],
  ] as const) {
    await flow('levels forms', level);
    await step(level, 'conditional-level-of-authentication');
    await step(level, provider);
  }
  const executions = (await admin('GET', '/authentication/flows/levels/executions')) as Execution[];
  const levels = executions.filter(({ providerId }) => providerId === 'conditional-level-of-authentication');
  for (const [place, { id }] of levels.entries()) {
    const config = { 'loa-condition-level': String(place + 1), 'loa-max-age': '36000' };
    await admin('POST', `/authentication/executions/${id}/config`, { alias: `level ${place + 1}`, config });
  }
  const isAlternative = ({ displayName, providerId }: Execution) =>
    displayName === 'levels forms' || providerId === 'auth-cookie';
  const isConditional = ({ displayName = '' }: Execution) => displayName.startsWith('level ');
  for (const execution of executions) {
    const requirement = isAlternative(execution)
      ? 'ALTERNATIVE'
      : isConditional(execution)
        ? 'CONDITIONAL'
        : 'REQUIRED';
    await admin('PUT', '/authentication/flows/levels/executions', { ...execution, requirement });
  }
  await admin('PUT', '', { browserFlow: 'levels' });
  const [client] = (await admin('GET', '/clients?clientId=tessera')) as { id: string; attributes: object }[];
  const attributes = { ...client?.attributes, 'default.acr.values': '2' };
  await admin('PUT', `/clients/${client?.id}`, { ...client, attributes });
}

interface Execution {
  readonly id: string;
  readonly providerId?: string;
  readonly displayName?: string;
}

/** RFC 6238, with the defaults of Keycloak. */
export function oneTimePassword(): string {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(Math.floor(Date.now() / 30_000)));
  const sum = createHmac('sha1', OTP_SECRET).update(counter).digest();
  const at = (sum.at(-1) ?? 0) & 15;
  return String((sum.readUInt32BE(at) & 0x7fff_ffff) % 1_000_000).padStart(6, '0');
}
