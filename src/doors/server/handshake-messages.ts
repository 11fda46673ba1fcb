// Bounds what the messages of a handshake cost. OpenSSL handles them before anything of ours, on the thread of the event loop. By itself it
// keeps 100 KB of a caller's certificates, which take 1.2 MB of memory while the connection is open; loads all their keys, which can take
// 0.2 s each; verifies a path of up to 100 of them, although only our own path validation decides, which can take 0.3 s; and searches
// lists of a hello of 65 KB in a time that grows with their square, 0.06 s.
import type { Server } from 'node:tls';
import { inspect } from 'node:util';
import { type CLibrary, libraryOfC } from './call-c.ts';

/** Of all certificates in one handshake. Chains in use have two to four of one to two KB. Reading each takes time, whatever it is. */
export const MOST_CHAIN_BYTES = 10 * 1024;
/** A client that offers every algorithm there is sends less than 2 KB. */
const MOST_HELLO_BYTES = 8 * 1024;

// From OpenSSL's headers.
const SSL_CTRL_SET_MAX_CERT_LIST = 51;
const SSL3_RT_HANDSHAKE = 22;
const TLS_1_3 = 0x0304;
const X509_PURPOSE_SSL_CLIENT = 1;
const X509_TRUST_SSL_CLIENT = 2;
/** Takes the place of what the general rules say, if it is not -1. */
const X509_VP_FLAG_DEFAULT = 1;
/** How OpenSSL names the rules by which a server verifies its callers. Those for servers that we call ourselves have another name. */
const RULES_FOR_CALLERS = 'ssl_client';
/** With a depth of 0, one issuer above the caller's certificate would be verified, and -1 means that nothing was set. */
const NO_PATH = -2;

/** The types of handshake messages (RFC 8446 4). */
const CLIENT_HELLO = 1;
const CERTIFICATE = 11;
const FINISHED = 20;
/** RFC 8879. The OpenSSL of Node does not offer it; if it did, certificates would come past us. */
const COMPRESSED_CERTIFICATE = 25;

const FUNCTIONS = {
  X509_VERIFY_PARAM_new: { arguments: [], return: 'pointer' },
  X509_VERIFY_PARAM_set1_name: { arguments: ['pointer', 'string'], return: 'i32' },
  X509_VERIFY_PARAM_set_inh_flags: { arguments: ['pointer', 'u32'], return: 'i32' },
  X509_VERIFY_PARAM_set_purpose: { arguments: ['pointer', 'i32'], return: 'i32' },
  X509_VERIFY_PARAM_set_trust: { arguments: ['pointer', 'i32'], return: 'i32' },
  X509_VERIFY_PARAM_set_depth: { arguments: ['pointer', 'i32'], return: 'void' },
  X509_VERIFY_PARAM_add0_table: { arguments: ['pointer'], return: 'i32' },
  SSL_CTX_ctrl: { arguments: ['pointer', 'i32', 'i64', 'pointer'], return: 'i64' },
  SSL_CTX_set_msg_callback: { arguments: ['pointer', 'pointer'], return: 'void' },
  SSL_set_msg_callback: { arguments: ['pointer', 'pointer'], return: 'void' },
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
  SSL_CTX_set_msg_callback(context: bigint, callback: bigint): void;
  SSL_set_msg_callback(connection: bigint, callback: bigint): void;
}

/** Whether a certificate, in DER, may be handed to OpenSSL. */
export type IsCheap = (certificate: Uint8Array) => boolean;

/** One for all contexts of this process. */
let watching: { readonly openSsl: OpenSsl; readonly callback: bigint } | undefined;

/**
 * From now on, OpenSSL verifies no path above a caller's certificate, in this whole process, and handshakes of this server end if a message
 * is too long or too expensive. Again after each new secure context. Returns false where Node cannot call C (before 26).
 */
export function boundHandshakes(server: Server, isCheap: IsCheap): boolean {
  try {
    const context = contextOf(server);
    watching ??= watch(isCheap);
    if (!watching) return false;
    watching.openSsl.SSL_CTX_ctrl(context, SSL_CTRL_SET_MAX_CERT_LIST, BigInt(MOST_CHAIN_BYTES), 0n);
    watching.openSsl.SSL_CTX_set_msg_callback(context, watching.callback);
    return true;
  } catch {
    return false;
  }
}

/** Whether this Node can do it. */
export function canBoundHandshakes(): boolean {
  return libraryOfC(FUNCTIONS) !== undefined;
}

function watch(isCheap: IsCheap): typeof watching {
  const library = libraryOfC<OpenSsl>(FUNCTIONS);
  if (!library) return undefined;
  verifyNoCaller(library.functions);
  return { openSsl: library.functions, callback: callbackFor(library, isCheap) };
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

type MessageFacts = [isWritten: number, version: number, type: number, at: bigint, length: bigint, connection: bigint];

/**
 * OpenSSL calls it with each message when it is complete, before reading it. There is no way to say no, so a message that is refused is
 * spoilt: what OpenSSL then finds ends the handshake with `decode_error`. With the last message of a handshake the calls end.
 */
function callbackFor({ functions, registerCallback, bytesAt }: CLibrary<OpenSsl>, isCheap: IsCheap): bigint {
  const parameters = ['i32', 'i32', 'i32', 'pointer', 'u64', 'pointer', 'pointer'];
  return registerCallback({ arguments: parameters, return: 'void' }, (...given: readonly unknown[]) => {
    const [isWritten, version, type, at, length, connection] = given as MessageFacts;
    if (isWritten !== 0 || type !== SSL3_RT_HANDSHAKE || length < 4n) return;
    const message = bytesAt(at, Number(length));
    if (message[0] === FINISHED) functions.SSL_set_msg_callback(connection, 0n);
    else if (isRefused(message, version === TLS_1_3, isCheap)) message.fill(0xff, 4);
  });
}

function isRefused(message: Buffer, isTls13: boolean, isCheap: IsCheap): boolean {
  if (message[0] === CLIENT_HELLO) return message.length > MOST_HELLO_BYTES;
  if (message[0] !== CERTIFICATE) return message[0] === COMPRESSED_CERTIFICATE;
  try {
    return !presentedIn(message.subarray(4), isTls13).every(isCheap);
  } catch {
    return true;
  }
}

/** RFC 5246 7.4.2; RFC 8446 4.4.2, where a context precedes the list, and extensions follow each certificate. */
function presentedIn(body: Buffer, isTls13: boolean): Uint8Array[] {
  const certificates: Uint8Array[] = [];
  const begin = (isTls13 ? 1 + body.readUInt8(0) : 0) + 3;
  for (let at = begin; at < body.length; ) {
    const end = at + 3 + body.readUIntBE(at, 3);
    if (end > body.length) throw new RangeError('a certificate is longer than its message');
    certificates.push(body.subarray(at + 3, end));
    at = isTls13 ? end + 2 + body.readUInt16BE(end) : end;
  }
  return certificates;
}

/** Node has no call for the address of a context, but prints it: `[External: 2e7dc7e0]`. */
function contextOf(server: Server): bigint {
  const { _sharedCreds: shared } = server as unknown as { _sharedCreds?: { context?: { _external?: unknown } } };
  const address = /^\[External: (?:0x)?([0-9a-f]+)\]$/.exec(inspect(shared?.context?._external))?.[1];
  if (address === undefined) throw new Error('Node does not show the address of its context');
  return BigInt(`0x${address}`);
}
