// Calls the C library, which Node can since version 26 (`node:ffi`, experimental). What uses this must work without it.

interface Ffi {
  dlopen(library: null, definitions: object): { readonly functions: unknown };
}

/** Functions of the C library by name. Undefined where Node cannot call C, throws where the library lacks one. */
export function functionsOfC<Functions>(definitions: object): Functions | undefined {
  const ffi = withoutWarning(() => process.getBuiltinModule('node:ffi') as Ffi | undefined);
  return ffi?.dlopen(null, definitions).functions as Functions | undefined;
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
