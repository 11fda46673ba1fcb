#!/usr/bin/env node
// Import nothing statically here: an old Node could not load it, and modules loaded before the cache is on are compiled
// again at every start.
const OLDEST_NODE = 24;

if (Number(process.versions.node.split('.')[0]) < OLDEST_NODE) {
  process.stderr.write(
    `tessera: this needs Node ${OLDEST_NODE} or newer; this is ${process.version}\n` +
      '  Install it (https://nodejs.org/en/download), and put it first in PATH.\n',
  );
  process.exit(1);
}
const { useCompileCache } = await import('./compile-cache.ts');
useCompileCache();
const { registerHooks } = await import('node:module');
// Without this, Node looks for links and for package.json at each import of ours, which takes a tenth of a start.
const OURS = new URL('../', import.meta.url).href;
const format = import.meta.url.endsWith('.ts') ? 'module-typescript' : 'module';
registerHooks({
  resolve: (specifier, context, next) =>
    specifier.startsWith('.') && context.parentURL?.startsWith(OURS)
      ? { url: new URL(specifier, context.parentURL).href, format, shortCircuit: true }
      : next(specifier, context),
});
const { run } = await import('./run.ts');
await run();

// Makes this file a module.
export {};
