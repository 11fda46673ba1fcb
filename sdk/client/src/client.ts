// The public interface of @tessera/client. Everything else is internal.
// biome-ignore-all lint/performance/noBarrelFile: a package has one entry
export { type AssertionOptions, assertion } from './by/assertion.ts';
export { type BrowserOptions, browser } from './by/browser.ts';
export { type CertificateOptions, certificate } from './by/certificate.ts';
export { type DeviceOptions, type DevicePrompt, device } from './by/device.ts';
export { type PrivateKeyOptions, privateKey } from './by/private-key.ts';
export { type SecretOptions, secret } from './by/secret.ts';
export { type StoredOptions, stored } from './by/stored.ts';
export type { Way } from './by/way.ts';
export { type ExchangedToken, type ExchangeOptions, exchange } from './exchange.ts';
export { type FailureReason, TokenFailure } from './failure.ts';
export { defaultTokenFile } from './store/default-file.ts';
export { fileStore } from './store/file-store.ts';
export { memoryStore } from './store/memory-store.ts';
export type { HeldStore, TokenStore } from './store/token-store.ts';
export { type TokenSource, type TokenSourceOptions, tokenSource } from './token-source.ts';
export type { StoredTokens } from './tokens.ts';
