// A token file of its own for each test.
import { readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { type StoredTokens, writeTokens } from '../../../sdk/client/src/tokens.ts';
import { temporaryFolder } from '../../temporary-folder.ts';

export function folderFor(t: Pick<TestContext, 'after'>): string {
  const folder = temporaryFolder('client');
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

export function fileFor(t: Pick<TestContext, 'after'>): string {
  return join(folderFor(t), 'tokens.json');
}

/** Stores a pair of generation 1 whose access token was obtained and expires so many seconds from now. */
export function storePair(
  file: string,
  server: string,
  { obtained, expires, refreshToken = 'R1' }: { obtained: number; expires: number; refreshToken?: string | null },
): void {
  const at = (seconds: number) => Date.now() / 1000 + seconds;
  const pair: StoredTokens = {
    server,
    clientId: 'orders-sync',
    accessToken: 'A1',
    ...(refreshToken !== null && { refreshToken }),
    scope: 'orders:read',
    obtainedAt: at(obtained),
    expiresAt: at(expires),
    refreshUntil: at(86_400),
  };
  writeFileSync(file, writeTokens(pair), { mode: 0o600 });
}

export function namesIn(folder: string): string[] {
  return readdirSync(folder).sort();
}
