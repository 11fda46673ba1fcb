// A service that callers reach at its own public URL, as discovery demands.
import { freePort } from '../free-port.ts';
import { type SetUp, startService, type TestService } from './service.ts';

/** `publicPort`: if something stands in front of the service. */
export async function startPublic(
  settings: SetUp['settings'] = {},
  publicPort?: number,
): Promise<TestService & { readonly issuer: string }> {
  const port = publicPort ?? (await freePort());
  const issuer = `https://localhost:${port}`;
  const all = { publicUrl: issuer, device: { pollInterval: '1s' }, ...settings };
  const listeners = [{ tls: true, port: publicPort === undefined ? port : 0 }];
  return { ...(await startService({ listeners, settings: all })), issuer };
}
