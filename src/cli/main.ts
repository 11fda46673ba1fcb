#!/usr/bin/env node
// The cache comes first: what is loaded before it is compiled anew at every start. So nothing else is imported here.
import { useCompileCache } from './compile-cache.ts';

useCompileCache();
const { run } = await import('./run.ts');
await run();
