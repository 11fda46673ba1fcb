// A job that runs unattended: it calls an API with a token that it gets by its client certificate.
import { certificate, TokenFailure, tokenSource } from '@tessera/client';

const { TESSERA_SERVER, TESSERA_CLIENT_ID, CERTIFICATE, KEY, API } = process.env;

const tokens = tokenSource({
  server: TESSERA_SERVER,
  clientId: TESSERA_CLIENT_ID,
  by: certificate({ certificate: CERTIFICATE, key: KEY, scope: 'orders:read' }),
});

try {
  const response = await tokens.fetch(API);
  if (!response.ok) throw new Error(`the API answered with ${response.status}`);
  console.log(await response.text());
} catch (error) {
  console.error(error.message);
  // Tells the scheduler whether it makes sense to try again soon: EX_TEMPFAIL of sysexits.h.
  process.exitCode = error instanceof TokenFailure && error.reason === 'unavailable' ? 75 : 1;
}
