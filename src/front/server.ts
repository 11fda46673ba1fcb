// Node's servers, with their own limits.
import type { RequestListener } from 'node:http';
import { createSecureServer } from 'node:http2';
import type { Server } from 'node:net';
import { http2Limits } from './http2.ts';
import type { Limits } from './limits.ts';
import { type TlsFiles, tlsOptions } from './tls.ts';

// Not an import statement: that reads every export of node:http, and one of them loads the HTTP client behind fetch.
const { createServer } = process.getBuiltinModule('node:http');

export function serverFor(handle: RequestListener, limits: Limits, tls?: TlsFiles): Server {
  const http1 = {
    maxHeaderSize: limits.headerBytes,
    headersTimeout: limits.requestTimeoutMs,
    requestTimeout: limits.requestTimeoutMs,
    keepAliveTimeout: limits.idleTimeoutMs,
    connectionsCheckingInterval: 1000,
    requireHostHeader: false, // whyMalformed refuses it, in JSON
  };
  if (!tls) return createServer(http1, handle);
  const secure = { ...http1, ...tlsOptions(tls, limits.requestTimeoutMs), ...http2Limits(limits), allowHTTP1: true };
  return createSecureServer(secure, handle as never);
}
