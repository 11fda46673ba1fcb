// Bounds what a chain of certificates costs that a caller presents in its handshake. OpenSSL handles it before anything of ours, on the
// thread of the event loop: it keeps 100 KB of certificates, which take 1.2 MB of memory while the connection is open, and verifies a path of
// up to 100, although only our own path validation decides. A stranger's 98 certificates with keys of sect571r1 took 345 ms. One issuer above
// the caller's certificate, with 1,700 name constraints, still took 80 ms; so OpenSSL builds no path at all.
import type { Server } from 'node:tls';
import { inspect } from 'node:util';
import { functionsOfC } from './call-c.ts';

/** Of all certificates in one handshake. Chains in use have two to four of one to two KB. Reading each takes time, whatever it is. */
export const MOST_CHAIN_BYTES = 10 * 1024;

/** How OpenSSL names the rules by which a server verifies its callers. Those for servers that we call ourselves have another name. */
const RULES_FOR_CALLERS = 'ssl_client';
// From OpenSSL's headers.
/** Takes the place of what the general rules say, if it is not -1. */
const X509_VP_FLAG_DEFAULT = 1;
/** Less than that of the caller's own certificate, which has depth -1 here, and 0 for OpenSSL's users. */
const NO_PATH = -2;
const X509_PURPOSE_SSL_CLIENT = 1;
const X509_TRUST_SSL_CLIENT = 2;
const SSL_CTRL_SET_MAX_CERT_LIST = 51;

const FUNCTIONS = {
  X509_VERIFY_PARAM_new: { arguments: [], return: 'pointer' },
  X509_VERIFY_PARAM_set1_name: { arguments: ['pointer', 'string'], return: 'i32' },
  X509_VERIFY_PARAM_set_inh_flags: { arguments: ['pointer', 'u32'], return: 'i32' },
  X509_VERIFY_PARAM_set_purpose: { arguments: ['pointer', 'i32'], return: 'i32' },
  X509_VERIFY_PARAM_set_trust: { arguments: ['pointer', 'i32'], return: 'i32' },
  X509_VERIFY_PARAM_set_depth: { arguments: ['pointer', 'i32'], return: 'void' },
  X509_VERIFY_PARAM_add0_table: { arguments: ['pointer'], return: 'i32' },
  SSL_CTX_ctrl: { arguments: ['pointer', 'i32', 'i64', 'pointer'], return: 'i64' },
};

interface OpenSsl {
  X509_VERIFY_PARAM_new(): bigint;
  X509_VERIFY_PARAM_set1_name(rules: bigint, name: string): number;
  X509_VERIFY_PARAM_set_inh_flags(rules: bigint, flags: number): number;
  X509_VERIFY_PARAM_set_purpose(rules: bigint, purpose: number): number;
  X509_VERIFY_PARAM_set_trust(rules: bigint, trust: number): number;
  X509_VERIFY_PARAM_set_depth(rules: bigint, depth: number): void;
  X509_VERIFY_PARAM_add0_table(rules: bigint): number;
  SSL_CTX_ctrl(context: bigint, command: number, value: bigint, pointer: bigint): bigint;
}

let isSet = false;

/**
 * From now on, OpenSSL verifies no path above a caller's certificate, in this whole process, and ends handshakes of this server
 * with more than MOST_CHAIN_BYTES. Again after each new secure context. Returns false where Node cannot call C (before 26).
 */
export function boundPresentedChains(server: Server): boolean {
  try {
    const openSsl = functionsOfC<OpenSsl>(FUNCTIONS);
    if (!openSsl) return false;
    if (!isSet) verifyNoCaller(openSsl);
    isSet = true;
    openSsl.SSL_CTX_ctrl(contextOf(server), SSL_CTRL_SET_MAX_CERT_LIST, BigInt(MOST_CHAIN_BYTES), 0n);
    return true;
  } catch {
    return false;
  }
}

/** OpenSSL looks for rules of this name in its table before it takes its own. The table keeps them for ever. */
function verifyNoCaller(openSsl: OpenSsl): void {
  const rules = openSsl.X509_VERIFY_PARAM_new();
  openSsl.X509_VERIFY_PARAM_set1_name(rules, RULES_FOR_CALLERS);
  openSsl.X509_VERIFY_PARAM_set_purpose(rules, X509_PURPOSE_SSL_CLIENT);
  openSsl.X509_VERIFY_PARAM_set_trust(rules, X509_TRUST_SSL_CLIENT);
  openSsl.X509_VERIFY_PARAM_set_inh_flags(rules, X509_VP_FLAG_DEFAULT);
  openSsl.X509_VERIFY_PARAM_set_depth(rules, NO_PATH);
  if (openSsl.X509_VERIFY_PARAM_add0_table(rules) !== 1) throw new Error('OpenSSL does not take the rules');
}

/** Node has no call for the address of a context, but prints it: `[External: 2e7dc7e0]`. */
function contextOf(server: Server): bigint {
  const { _sharedCreds: shared } = server as unknown as { _sharedCreds?: { context?: { _external?: unknown } } };
  const address = /^\[External: (?:0x)?([0-9a-f]+)\]$/.exec(inspect(shared?.context?._external))?.[1];
  if (address === undefined) throw new Error('Node does not show the address of its context');
  return BigInt(`0x${address}`);
}
