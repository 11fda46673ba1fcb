// Calls the C library, which Node can since version 26 (`node:ffi`, experimental). What uses this must work without it.
import type { Server } from 'node:net';

interface Ffi {
  dlopen(library: null, definitions: object): { readonly functions: unknown; readonly lib: Library };
  getRawPointer(bytes: Buffer): bigint;
  toBuffer(pointer: bigint, length: number, copy: boolean): Buffer;
}

interface Library {
  readonly registerCallback: (signature: object, callback: (...given: readonly unknown[]) => void) => bigint;
}

export interface CLibrary<Functions> extends Library {
  readonly functions: Functions;
  /** The memory itself, not a copy. Valid as long as C says so. */
  readonly bytesAt: (pointer: bigint, length: number) => Buffer;
}

/** As `functionsOfC`, and what C may call. A callback must not throw, and is for the thread that registered it. */
export function libraryOfC<Functions>(definitions: object): CLibrary<Functions> | undefined {
  const ffi = load();
  if (!ffi) return undefined;
  const { functions, lib } = ffi.dlopen(null, definitions);
  return {
    functions: functions as Functions,
    registerCallback: (signature, callback) => lib.registerCallback(signature, callback),
    bytesAt: (pointer, length) => ffi.toBuffer(pointer, length, false),
  };
}

/** Functions of the C library by name. Undefined where Node cannot call C, throws where the library lacks one. */
export function functionsOfC<Functions>(definitions: object): Functions | undefined {
  return libraryOfC<Functions>(definitions)?.functions;
}

/** Node warns that the module is experimental. An operator can do nothing about it: the version is pinned, and tested. */
function load(): Ffi | undefined {
  const usual: unknown = Reflect.get(process, 'emitWarning');
  Reflect.set(process, 'emitWarning', () => undefined);
  try {
    return process.getBuiltinModule('node:ffi') as Ffi | undefined;
  } finally {
    Reflect.set(process, 'emitWarning', usual);
  }
}

const SETSOCKOPT = { setsockopt: { arguments: ['i32', 'i32', 'i32', 'buffer', 'u32'], return: 'i32' } };

interface Functions {
  setsockopt(file: number, level: number, option: number, value: Buffer, size: number): number;
}

/** Level, number and value of an option of a socket, as setsockopt(2) takes them. */
export type SocketOption = readonly [level: number, option: number, value: number | Buffer];

/** Sets options of a listener. Returns false where this is not possible: not on Linux, or Node cannot call C. */
export function setOptions(server: Server, options: readonly SocketOption[]): boolean {
  const { fd } = (server as unknown as { _handle?: { fd?: number } | null })._handle ?? {};
  if (process.platform !== 'linux' || fd === undefined || fd < 0) return false;
  try {
    const functions = functionsOfC<Functions>(SETSOCKOPT);
    return options.every(([level, option, value]) => {
      const bytes = typeof value === 'number' ? Buffer.from(Int32Array.of(value).buffer) : value;
      return functions?.setsockopt(fd, level, option, bytes, bytes.length) === 0;
    });
  } catch {
    return false;
  }
}

/** A pointer to bytes, as C structures contain it. Valid while the bytes are in use here. */
export function pointerTo(bytes: Buffer): Buffer {
  const pointer = Buffer.alloc(8);
  new BigUint64Array(pointer.buffer, pointer.byteOffset, 1)[0] = load()?.getRawPointer(bytes) ?? 0n;
  return pointer;
}
