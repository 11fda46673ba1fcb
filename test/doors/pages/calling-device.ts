// A real caller of Authorize/Device and Authorize/Token that polls while a person decides.
import { request } from 'node:https';
import { ORDERS, type RunningService } from './running-service.ts';

export interface StartedCode {
  readonly deviceCode: string;
  readonly userCode: string;
  readonly complete: string;
}

export type Body = Readonly<Record<string, unknown>>;

export async function startCode(
  service: RunningService,
  scope = 'orders:read,delete;stock:read',
  { clientId } = ORDERS,
): Promise<StartedCode> {
  const { body } = await post(service, '/authsvc/Authorize/Device', { client_id: clientId, scope });
  return {
    deviceCode: String(body['device_code']),
    userCode: String(body['user_code']),
    complete: String(body['verification_uri_complete']),
  };
}

export function poll(service: RunningService, { deviceCode }: StartedCode): Promise<{ status: number; body: Body }> {
  return post(service, '/authsvc/Authorize/Token', {
    client_id: ORDERS.clientId,
    grant_type: 'urn:ietf:params:oauth:grant-type:device_code',
    device_code: deviceCode,
  });
}

/** The answer to the caller: `ok`, or the Error. */
export async function verdict(service: RunningService, code: StartedCode): Promise<string> {
  const { status, body } = await poll(service, code);
  return status === 200 ? 'ok' : String(body['Error']);
}

export function post(
  service: RunningService,
  path: string,
  body: Body,
  extra: Readonly<Record<string, string>> = {},
): Promise<{ status: number; body: Body }> {
  const { hostname, port } = new URL(service.url);
  return new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/json', 'user-agent': 'orders-sync/2.4 (build-box)', ...extra };
    const sent = request(
      { hostname, port, path, method: 'POST', ca: service.authority, headers, agent: service.agent },
      (answer) => {
        let text = '';
        answer.setEncoding('utf8').on('data', (part) => {
          text += part;
        });
        answer.on('end', () => resolve({ status: answer.statusCode ?? 0, body: JSON.parse(text) }));
      },
    );
    sent.on('error', reject).end(JSON.stringify(body));
  });
}
