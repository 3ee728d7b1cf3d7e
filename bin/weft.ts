import { main } from './cli/program.ts';
import { processTerminal } from './cli/shell/terminal.ts';

// Who reads our output may stop reading (`weft logs | head`): that is no mistake.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
  process.exit(0);
});

process.exitCode = await main(process.argv.slice(2), processTerminal());
