// A service that callers reach at its own public URL, as discovery demands.
import { freePort } from '../free-port.ts';
import { type SetUp, startService, type TestService } from './service.ts';

export async function startPublic(
  settings: SetUp['settings'] = {},
): Promise<TestService & { readonly issuer: string }> {
  const port = await freePort();
  const issuer = `https://localhost:${port}`;
  const all = { publicUrl: issuer, device: { pollInterval: '1s' }, ...settings };
  return { ...(await startService({ listeners: [{ tls: true, port }], settings: all })), issuer };
}
