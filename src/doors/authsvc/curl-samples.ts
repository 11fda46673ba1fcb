// Commands to copy, filled with the address of this service. Capital letters stand for the caller's own values.
import type { CodeSample } from '../openapi-document.ts';
import { DEVICE_GRANT_TYPE } from '../token/grant-type.ts';
import type { AuthsvcOperation } from './routes.ts';

const CERTIFICATE = '--cert client.crt --key client.key';
const BEARER = "--header 'Authorization: Bearer ACCESS_TOKEN'";

interface Sample {
  readonly label: string;
  readonly options: readonly string[];
}

const SAMPLES: Readonly<Record<AuthsvcOperation, readonly Sample[]>> = {
  'authorize-token': [
    { label: 'Refresh', options: jsonBody({ client_id: 'CLIENT_ID', refresh_token: 'REFRESH_TOKEN' }) },
    {
      label: 'Redeem a device code',
      options: jsonBody({ client_id: 'CLIENT_ID', grant_type: DEVICE_GRANT_TYPE, device_code: 'DEVICE_CODE' }),
    },
  ],
  'authorize-certificate': [
    { label: 'Get a token', options: [CERTIFICATE, ...jsonBody({ client_id: 'CLIENT_ID', scope: 'SCOPE' })] },
  ],
  'authorize-device': [{ label: 'Start', options: jsonBody({ client_id: 'CLIENT_ID', scope: 'SCOPE' }) }],
  verify: [{ label: 'Check', options: [BEARER] }],
  revoke: [{ label: 'Revoke', options: [BEARER] }],
};

function jsonBody(fields: Readonly<Record<string, string>>): string[] {
  return ["--header 'Content-Type: application/json'", `--data '${JSON.stringify(fields)}'`];
}

export function curlSamples(operation: AuthsvcOperation, url: string): CodeSample[] {
  return SAMPLES[operation].map(({ label, options }) => {
    return { lang: 'Shell', label, source: ['curl', ...options, `'${url}'`].join(' \\\n  ') };
  });
}
