/** `npm start`. */
import { enableCompileCache, flushCompileCache } from 'node:module';
import { join } from 'node:path';

// Types are stripped and modules are compiled once, not at every start.
enableCompileCache(join(import.meta.dirname, '..', 'node_modules', '.cache', 'weft'));
const { main } = await import('./server/main.ts');

await main();
// A process that is killed later would not write the cache: without it each start takes twice as long.
flushCompileCache();
