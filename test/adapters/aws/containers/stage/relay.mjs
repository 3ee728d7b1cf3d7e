/**
 * Runs in a network that leads nowhere, and leads each of its ports, which are its arguments, to a socket in its own
 * folder.
 */
import { connect, createServer } from 'node:net';
import { join } from 'node:path';

for (const port of process.argv.slice(2)) {
  const server = createServer((inside) => {
    const outside = connect(join(import.meta.dirname, `${port}.sock`));
    inside.pipe(outside).pipe(inside);
    inside.on('error', () => outside.destroy());
    outside.on('error', () => inside.destroy());
  });
  await new Promise((resolve) => server.listen(Number(port), '127.0.0.1', resolve));
}
console.log('ready');
