/** `npm run chaos`: disturbs the service, and ends with the line `N passed, N failed`; `-- --help` lists its options. */
import { MODES } from './modes.ts';
import { type ChaosOptions, HELP, OptionError, readOptions } from './options.ts';

async function run({ modes, ...options }: ChaosOptions): Promise<void> {
  const failures: string[] = [];
  let passed = 0;
  for (const name of modes) {
    console.log(`${name}: ${options.rounds} rounds, seed ${options.seed}`);
    const verdict = await MODES[name].run({ ...options, print: (line) => console.log(`${name}: ${line}`) });
    passed += verdict.passed;
    failures.push(...verdict.failures.map((failure) => `${name}: ${failure}`));
  }
  for (const failure of failures) console.log(`failed: ${failure}`);
  console.log(`${passed} passed, ${failures.length} failed`);
  process.exit(failures.length === 0 ? 0 : 1);
}

// Without this, a process that is under test would outlive this one.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));

try {
  const options = readOptions(process.argv.slice(2), Date.now() % 1_000_000);
  if (options === 'help') console.log(HELP);
  else await run(options);
} catch (error) {
  if (!(error instanceof OptionError)) throw error;
  console.error(`${error.message}\n'npm run chaos -- --help' lists the options`);
  process.exit(2);
}
