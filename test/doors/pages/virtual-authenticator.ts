// Chromium's virtual authenticator (the WebAuthn domain of its DevTools protocol).
import type { CDPSession, Page } from 'playwright-core';

export interface VirtualAuthenticator {
  readonly session: CDPSession;
  readonly id: string;
}

/** A phone or computer with a screen lock, which its owner opens at once. */
export async function addAuthenticator(
  page: Page,
  known?: CDPSession,
  { isUserVerified = true } = {},
): Promise<VirtualAuthenticator> {
  const session = known ?? (await page.context().newCDPSession(page));
  if (!known) await session.send('WebAuthn.enable');
  const { authenticatorId: id } = await session.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified,
      automaticPresenceSimulation: true,
    },
  });
  return { session, id };
}
