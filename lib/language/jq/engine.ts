import { type Jq, loadJq } from 'jq-wasm/inline';
import { type Engine, failureMessage, type Limits, noResultMessage, type ScriptResult } from '../scripts/engine.ts';
import { isSelfContained } from './brackets.ts';
import { jqErrorMessage } from './error-messages.ts';

/** Loads jq-wasm. Programs have no access to an environment, to modules or to standard error. */
export async function createJqEngine(limits: Limits): Promise<Engine> {
  const jq = await loadJq();
  return {
    run: (source, data) => run(jq, source, data, limits),
    runTogether: (sources, data) => runTogether(jq, sources, data, limits),
  };
}

// Messages on standard error would fill the thread's memory outside WebAssembly, which has no cap.
const PRELUDE =
  'def env: {}; def debug: .; def debug(f): (f | empty), .; def stderr: .; def input_filename: null; {} as $ENV | ';

/** Stops after the second output. The program begins on a line of its own, so that its columns are those of the user. */
function atMostTwo(source: string): string {
  return `limit(2;\n${source.trim() === '' ? '.' : source}\n)`;
}

/** Formats the outputs inside the engine, whose memory is capped; jq's printer has no bound. */
function printed(program: string, most: number): string {
  return `${PRELUDE}${program} | tojson | if utf8bytelength > ${most} then error("the result is too large") end`;
}

function run(jq: Jq, source: string, data: string, limits: Limits): ScriptResult {
  const { stdout, stderr, exitCode } = jq.raw(data, printed(atMostTwo(source), limits.resultBytes), ['-r']);
  if (exitCode !== 0) return { error: failureMessage('jq', source, jqErrorMessage(stderr, source)) };
  const [first = '', second] = stdout.split('\n');
  if (first === '' || first === 'null') return { error: noResultMessage('jq', source) };
  return second === undefined ? { text: first } : { error: 'jq query produced multiple outputs' };
}

// jq compiles its library for each program, so one program of several scripts takes little more time than one script.
function runTogether(jq: Jq, sources: readonly string[], data: string, limits: Limits): string[] | undefined {
  if (!sources.every(isSelfContained)) return undefined;
  const only = (source: string) => `([${atMostTwo(source)}] | if length == 1 then .[0] else error end)`;
  const program = printed(`(${sources.map(only).join(', ')})`, Math.floor(limits.resultBytes / sources.length));
  const { stdout, exitCode } = jq.raw(data, program, ['-r']);
  const texts = stdout.split('\n');
  return exitCode === 0 && texts.length === sources.length && !texts.includes('null') ? texts : undefined;
}
