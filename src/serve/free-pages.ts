// Returns memory that the C library keeps after it was freed. glibc returns only what lies at the end of its heap, and after a
// flood some small living block lies there nearly always: without this, three quarters of a flood's memory stay with the process.

interface Native {
  dlopen(library: null, definitions: object): { readonly functions: { malloc_trim(pad: bigint): number } };
}

const MALLOC_TRIM = { malloc_trim: { arguments: ['u64'], return: 'i32' } };

let trim: (() => void) | undefined;

/** Takes tens of milliseconds after a flood. Does nothing where Node cannot call C (before 26) or where it is not glibc. */
export function returnFreePages(): void {
  try {
    trim ??= findTrim();
    trim();
  } catch {
    trim = () => undefined;
  }
}

function findTrim(): () => void {
  const native = withoutWarning(() => process.getBuiltinModule('node:ffi') as Native | undefined);
  if (!native) return () => undefined;
  const { functions } = native.dlopen(null, MALLOC_TRIM);
  return () => functions.malloc_trim(0n);
}

/** Node warns that the module is experimental. An operator can do nothing about it: the version is pinned, and tested. */
function withoutWarning<Result>(load: () => Result): Result {
  const usual: unknown = Reflect.get(process, 'emitWarning');
  Reflect.set(process, 'emitWarning', () => undefined);
  try {
    return load();
  } finally {
    Reflect.set(process, 'emitWarning', usual);
  }
}
