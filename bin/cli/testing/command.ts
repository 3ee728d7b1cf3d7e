import { REPORT_FORMATS } from '../../../lib/testing/reports/formats.ts';
import { totalsOf } from '../../../lib/testing/results.ts';
import { importOrExplain, type Outcome, UsageError } from '../shell/command.ts';
import { paint, type Terminal } from '../shell/terminal.ts';
import { watchChanges } from '../shell/watching.ts';
import { type DisturbanceValues, disturbancesOf, filterOf, patienceOf } from './options.ts';
import { type CaseRunner, runSession, type Session } from './session.ts';

/** The values of the options of `weft test`. */
export interface TestValues extends DisturbanceValues {
  readonly filter?: string | undefined;
  readonly watch?: boolean | undefined;
  readonly coverage?: boolean | undefined;
  readonly format?: string | undefined;
  readonly timeout?: string | undefined;
  readonly json?: boolean | undefined;
}

type FormatName = keyof typeof REPORT_FORMATS;

const isFormat = (name: string): name is FormatName => Object.hasOwn(REPORT_FORMATS, name);

function formatOf({ json, format = json ? 'json' : 'text' }: TestValues): FormatName {
  if (isFormat(format)) return format;
  throw new UsageError(`--format is one of ${Object.keys(REPORT_FORMATS).join(', ')}`);
}

async function embeddedRunner(values: TestValues): Promise<CaseRunner> {
  const options = { disturbances: disturbancesOf(values), patience: patienceOf(values.timeout) };
  const { runEmbedded } = await importOrExplain(() => import('./embedded/disturbed-case.ts'));
  return (file, prepared) => runEmbedded(file, prepared, options);
}

async function report(session: Session, values: TestValues, format: FormatName): Promise<Outcome> {
  const { suites, coverage } = await runSession(session);
  const { passed, failed, skipped } = totalsOf(suites);
  if (passed + failed + skipped === 0) {
    throw new UsageError(
      values.filter === undefined
        ? 'there are no tests here; their files end in .test.yaml'
        : `no case matches --filter ${values.filter}`,
    );
  }
  const seed = disturbancesOf(values)?.seed;
  const text = REPORT_FORMATS[format](
    { suites, coverage: values.coverage === true ? coverage : undefined, seed },
    (colour, words) => paint(session.terminal, colour, words),
  );
  return { text, isSuccess: failed === 0 };
}

/** Runs the tests again after each change below the folder, until Ctrl-C. */
async function runOnChange(session: Session, values: TestValues, format: FormatName): Promise<Outcome> {
  const { terminal } = session;
  const changes = await watchChanges(terminal.cwd, terminal.signal);
  do {
    try {
      await terminal.print(`${(await report(session, values, format)).text}\n`);
    } catch (error) {
      if (!(error instanceof UsageError)) throw error;
      terminal.printStatus(`weft: ${error.message}`);
    }
    terminal.printStatus('watching for changes …');
  } while (!(await changes.next()).done);
  return { text: '', isSuccess: true };
}

/** Runs `weft test`. Throws UsageError. */
export async function runTests(values: TestValues, args: readonly string[], terminal: Terminal): Promise<Outcome> {
  const format = formatOf(values);
  const isWanted = filterOf(values.filter);
  const run = await embeddedRunner(values);
  const session = { terminal, paths: args.length === 0 ? ['.'] : args, isWanted, run };
  return values.watch ? runOnChange(session, values, format) : report(session, values, format);
}
