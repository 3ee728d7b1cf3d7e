/** `npm start`, which has no arguments of its own: with arguments it is `weft start`, which explains or refuses them. */
import { enableCompileCache, flushCompileCache } from 'node:module';
import { join } from 'node:path';

const args = process.argv.slice(2);
if (args.length > 0) {
  process.argv = [...process.argv.slice(0, 2), 'start', ...args];
  await import('./weft.ts');
} else {
  // Types are stripped and modules are compiled once, not at every start.
  enableCompileCache(join(import.meta.dirname, '..', 'node_modules', '.cache', 'weft'));
  const { main } = await import('./server/main.ts');

  await main(async (service) => (await import('./cli/git/following.ts')).followAll(service, process.env));
  // A process that is killed later would not write the cache: without it each start takes twice as long.
  flushCompileCache();
}
