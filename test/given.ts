// What the tests of a suite, or of a file, share: opened before the first, ended after the last.
import { after, before } from 'node:test';

/** Of what is open, in this order; what is opened last ends first. */
const ends: (() => unknown)[] = [];
let ready: Promise<unknown> = Promise.resolve();

/** Before the first test, and after everything that is given or prepared above. Node runs what a file gives to `before` at once. */
export function prepare(step: () => unknown): void {
  before(() => {
    const done = ready.then(step);
    ready = done.catch(() => undefined);
    return done;
  });
}

/** Stands for what `open` gives, from the first test on. It ends as it says itself, or by `end`. */
export function given<T extends object>(open: () => T | Promise<T>, end: (opened: T) => unknown = dispose): T {
  let opened: T | undefined;
  const found = (): T => {
    if (!opened) throw new Error('it is opened before the first test, and not while tests are defined');
    return opened;
  };
  let hasBegun = false;
  prepare(async () => {
    ends.push(() => opened && end(opened));
    hasBegun = true;
    opened = await open();
  });
  after(() => hasBegun && ends.pop()?.());
  return new Proxy({} as T, {
    get: (_, name) => {
      const value: unknown = Reflect.get(found(), name, found());
      return typeof value === 'function' ? value.bind(found()) : value;
    },
    set: (_, name, value) => Reflect.set(found(), name, value, found()),
    ownKeys: () => Reflect.ownKeys(found()), // for { ...it }
    getOwnPropertyDescriptor: (_, name) => {
      const own = Reflect.getOwnPropertyDescriptor(found(), name);
      return own && { ...own, configurable: true };
    },
  });
}

function dispose(opened: Partial<AsyncDisposable & Disposable>): unknown {
  return opened[Symbol.asyncDispose] ? opened[Symbol.asyncDispose]?.() : opened[Symbol.dispose]?.();
}
