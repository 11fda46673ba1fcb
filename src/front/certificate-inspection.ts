// The one place that uses private parts of Node (docs/decisions.md). OpenSSL loads the keys of all certificates
// that a client presents before anything of ours sees them, on the thread of the event loop. 60 keys on spelled-out curves take it 15 s, and
// public Node has nothing against it. So each handshake message is looked at first, through `node:ffi`.
import { spawn } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { duplexPair } from 'node:stream';
import { connect, createServer, type Server, type TLSSocket } from 'node:tls';
import { inspect } from 'node:util';
import {
  type DevelopmentAuthority,
  type KeyedCertificate,
  makeDevelopmentAuthority,
} from '../pki/development-authority.ts';
import { isKeyCheap, MOST_CHAIN_BYTES } from '../pki/x509/key-cost.ts';
import { systemClock, systemRandom } from '../system.ts';

/** The versions of Node that it was tried on. On others it is not used. */
const PROVEN_ON: readonly string[] = ['v26.10.0'];

/** A client that offers every algorithm there is sends less than 2 KB. OpenSSL searches longer ones in quadratic time. */
const MOST_HELLO_BYTES = 8 * 1024;

// From OpenSSL's headers.
const SSL_CTRL_SET_MAX_CERT_LIST = 51;
const SSL3_RT_HANDSHAKE = 22;
const TLS_1_3 = 0x0304;

/** The types of handshake messages (RFC 8446 4). */
const CLIENT_HELLO = 1;
const CERTIFICATE = 11;
const FINISHED = 20;
/** RFC 8879. The OpenSSL of Node does not offer it; if it did, certificates would come past us. */
const COMPRESSED_CERTIFICATE = 25;

const FUNCTIONS = {
  SSL_CTX_ctrl: { arguments: ['pointer', 'i32', 'i64', 'pointer'], return: 'i64' },
  SSL_CTX_set_msg_callback: { arguments: ['pointer', 'pointer'], return: 'void' },
  SSL_set_msg_callback: { arguments: ['pointer', 'pointer'], return: 'void' },
};

interface OpenSsl {
  SSL_CTX_ctrl(context: bigint, command: number, value: bigint, pointer: bigint): bigint;
  SSL_CTX_set_msg_callback(context: bigint, callback: bigint): void;
  SSL_set_msg_callback(connection: bigint, callback: bigint): void;
}

/** The part of `node:ffi` in use. A callback must not throw, and is for the thread that registered it. */
interface Ffi {
  dlopen(library: null, definitions: object): { readonly functions: OpenSsl; readonly lib: Library };
  /** The memory itself, not a copy. */
  toBuffer(pointer: bigint, length: number, copy: boolean): Buffer;
}

interface Library {
  registerCallback(signature: object, callback: (...given: readonly unknown[]) => void): bigint;
}

/** One for all contexts of this process. */
let watching: { readonly openSsl: OpenSsl; readonly callback: bigint } | undefined;

/** Handshakes of this server end if a message is too long or too expensive. Again after each new secure context. */
export function inspectHandshakes(server: Server): void {
  watching ??= watch(process.getBuiltinModule('node:ffi') as unknown as Ffi);
  const context = contextOf(server);
  watching.openSsl.SSL_CTX_ctrl(context, SSL_CTRL_SET_MAX_CERT_LIST, BigInt(MOST_CHAIN_BYTES), 0n);
  watching.openSsl.SSL_CTX_set_msg_callback(context, watching.callback);
}

/** How OpenSSL reports what was ended here: a message over the limit, and one that was overwritten. */
const ENDED: Readonly<Record<string, string>> = {
  ERR_SSL_EXCESSIVE_MESSAGE_SIZE: 'the certificates are too long',
  ERR_SSL_INVALID_CONTEXT: 'a certificate has a key that is never accepted',
  ERR_SSL_LENGTH_MISMATCH: 'a certificate has a key that is never accepted, or the hello is too long',
};

/** Calls back for each handshake that was ended because of its messages. Node no longer knows the address by then. */
export function reportEnded(server: Server, report: (why: string) => void): void {
  server.on('tlsClientError', ({ code = '' }: NodeJS.ErrnoException) => {
    const why = ENDED[code];
    if (why !== undefined) report(why);
  });
}

type MessageFacts = [isWritten: number, version: number, type: number, at: bigint, length: bigint, connection: bigint];

/**
 * OpenSSL calls back with each message when it is complete, before reading it. There is no way to say no, so a message that is refused is
 * overwritten: OpenSSL ends the handshake with `decode_error`. With the last message of a handshake the calls end.
 */
function watch(ffi: Ffi): NonNullable<typeof watching> {
  const { functions: openSsl, lib } = ffi.dlopen(null, FUNCTIONS);
  const parameters = ['i32', 'i32', 'i32', 'pointer', 'u64', 'pointer', 'pointer'];
  const callback = lib.registerCallback({ arguments: parameters, return: 'void' }, (...given) => {
    const [isWritten, version, type, at, length, connection] = given as MessageFacts;
    if (isWritten !== 0 || type !== SSL3_RT_HANDSHAKE || length < 4n) return;
    const message = ffi.toBuffer(at, Number(length), false);
    if (message[0] === FINISHED) openSsl.SSL_set_msg_callback(connection, 0n);
    else if (isRefused(message, version === TLS_1_3)) message.fill(0xff, 4);
  });
  return { openSsl, callback };
}

function isRefused(message: Buffer, isTls13: boolean): boolean {
  if (message[0] === CLIENT_HELLO) return message.length > MOST_HELLO_BYTES;
  if (message[0] !== CERTIFICATE) return message[0] === COMPRESSED_CERTIFICATE;
  try {
    return !presentedIn(message.subarray(4), isTls13).every(isKeyCheap);
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

let tried: Promise<boolean> | undefined;

/** Whether this Node is one that it was proven on, and it works in a child process: a mistake here would crash the process. */
export function canInspect(): Promise<boolean> {
  tried ??= PROVEN_ON.includes(process.version) ? tryInChild() : Promise.resolve(false);
  return tried;
}

/** A third of a second is usual; a busy machine took more than ten. */
const PATIENCE_MS = 60_000;

async function tryInChild(): Promise<boolean> {
  const program = `import(${JSON.stringify(import.meta.url)}).then(({ selfTest }) => selfTest())`;
  const flags = ['--disable-warning=ExperimentalWarning', '--input-type=module', '--eval', program];
  const child = spawn(process.execPath, flags, { stdio: 'ignore', timeout: PATIENCE_MS });
  const [code] = await Promise.race([once(child, 'exit'), once(child, 'error')]).catch(() => [undefined]);
  return code === 0;
}

/** @public Run in a child process: an honest chain passes, and one with a key on a spelled-out curve is refused. */
export async function selfTest(): Promise<void> {
  const authority = makeDevelopmentAuthority(new Date(systemClock.milliseconds()), systemRandom);
  const hostileKeys = generateKeyPairSync('ec', { namedCurve: 'P-256', paramEncoding: 'explicit' });
  const server = selfTestServer(authority);
  inspectHandshakes(server);
  const isTaken = (above: string) =>
    connectToSelf(server, authority.issueClient('self'), above, () => true).catch(() => false);
  const honest = await isTaken(authority.certificate);
  const hostile = await isTaken(authority.issueClient('hostile', hostileKeys).certificate);
  process.exit(honest && !hostile ? 0 : 1);
}

export function selfTestServer(authority: DevelopmentAuthority): Server {
  const { certificate: cert, key } = authority.issueServer(['localhost']);
  return createServer({ cert, key, requestCert: true, rejectUnauthorized: false });
}

/** A handshake of the process with itself: the connection as the server has it. Rejects if the server ends the handshake. */
export async function connectToSelf<T>(
  server: Server,
  { certificate, key }: KeyedCertificate,
  above: string,
  look: (socket: TLSSocket) => T,
): Promise<T> {
  const [near, far] = duplexPair();
  const secured = once(server, 'secureConnection') as Promise<[TLSSocket]>;
  const ended = once(server, 'tlsClientError').then(([fault]) => Promise.reject(fault));
  server.emit('connection', far);
  const caller = connect({ socket: near, cert: `${certificate}${above}`, key, rejectUnauthorized: false });
  caller.on('error', () => undefined);
  try {
    const [socket] = await Promise.race([secured, ended]);
    return look(socket);
  } finally {
    caller.destroy();
    far.destroy();
  }
}
