// biome-ignore-all lint/performance/noBarrelFile: the entry of a package
export type { Allowed, Checked, CheckOptions } from './check.ts';
export type { DpopCall } from './dpop.ts';
export type { Middleware, SentCall } from './frameworks.ts';
export type { ResourceServerOptions, VerifierOptions } from './options.ts';
export type { Reason, Refusal } from './refusal.ts';
export { answerTo } from './refusal.ts';
export type { McpAuth } from './resource-metadata.ts';
export { Misconfigured, Unavailable } from './service.ts';
export type { Guard, McpHandler } from './verifier.ts';
export { verifier } from './verifier.ts';
