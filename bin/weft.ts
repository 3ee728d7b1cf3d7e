import { main } from './cli/program.ts';
import { processTerminal } from './cli/shell/terminal.ts';

// The reader of a pipe may close it early (`weft logs | head`), which is no error.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
  process.exit(0);
});

process.exitCode = await main(process.argv.slice(2), processTerminal());
