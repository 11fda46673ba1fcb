#!/usr/bin/env node
// Import nothing else here: modules loaded before the cache is on are compiled again at every start.
import { useCompileCache } from './compile-cache.ts';

useCompileCache();
const { run } = await import('./run.ts');
await run();
