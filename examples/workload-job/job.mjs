// A job in Kubernetes or in GitHub Actions: it holds no secret. Its platform tells the service who it is, by a signed JWT.
import { assertion, memoryStore, TokenFailure, tokenSource } from '@tessera/client';

const { TESSERA_SERVER, TESSERA_CLIENT_ID, ASSERTION_FILE, API } = process.env;

/** GitHub Actions signs a new JWT for each request, if the job has the permission `id-token: write`. */
async function assertionOfGitHub() {
  const { ACTIONS_ID_TOKEN_REQUEST_URL: url, ACTIONS_ID_TOKEN_REQUEST_TOKEN: token } = process.env;
  if (!url) throw new Error('Set ASSERTION_FILE, or give the job the permission id-token: write.');
  const headers = { authorization: `Bearer ${token}` };
  const response = await fetch(`${url}&audience=${encodeURIComponent(TESSERA_SERVER)}`, { headers });
  if (!response.ok) throw new Error(`GitHub answered with ${response.status}`);
  return (await response.json()).value;
}

const tokens = tokenSource({
  server: TESSERA_SERVER,
  clientId: TESSERA_CLIENT_ID,
  // Kubernetes keeps the JWT in a file and replaces it before it expires.
  by: assertion({ assertion: ASSERTION_FILE ?? assertionOfGitHub, scope: 'orders:read' }),
  // A new token costs one request, so there is nothing to keep.
  store: memoryStore(),
});

try {
  const response = await tokens.fetch(API);
  if (!response.ok) throw new Error(`the API answered with ${response.status}`);
  console.log(await response.text());
  await tokens.revoke(); // the work is done
} catch (error) {
  console.error(error.message);
  // Tells the scheduler whether it makes sense to try again soon: EX_TEMPFAIL of sysexits.h.
  process.exitCode = error instanceof TokenFailure && error.reason === 'unavailable' ? 75 : 1;
}
