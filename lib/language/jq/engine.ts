import { type Jq, loadJq } from 'jq-wasm/inline';
import { type Engine, emptyText, failureText, type Limits, type ScriptResult } from '../scripts/script-engine.ts';
import { isClosed } from './brackets.ts';
import { jqProblem } from './problems.ts';

/** jq without an environment, modules or messages. */
export async function createJqEngine(limits: Limits): Promise<Engine> {
  const jq = await loadJq();
  return {
    run: (source, data) => run(jq, source, data, limits),
    runTogether: (sources, data) => runTogether(jq, sources, data, limits),
  };
}

// The environment is the machine's business; messages would fill the thread's memory, which has no cap.
const PRELUDE =
  'def env: {}; def debug: .; def debug(f): (f | empty), .; def stderr: .; def input_filename: null; {} as $ENV | ';

/** Two outputs are enough to know that there are several. The script begins on a line of its own, in its own columns. */
function atMostTwo(source: string): string {
  return `limit(2;\n${source.trim() === '' ? '.' : source}\n)`;
}

/** A value leaves as text made inside the engine, whose memory is capped; jq's printer has no bound. */
function printed(program: string, most: number): string {
  return `${PRELUDE}${program} | tojson | if utf8bytelength > ${most} then error("the result is too large") end`;
}

function run(jq: Jq, source: string, data: string, limits: Limits): ScriptResult {
  const { stdout, stderr, exitCode } = jq.raw(data, printed(atMostTwo(source), limits.resultBytes), ['-r']);
  if (exitCode !== 0) return { error: failureText('jq', source, jqProblem(stderr, source)) };
  const [first = '', second] = stdout.split('\n');
  if (first === '' || first === 'null') return { error: emptyText('jq', source) };
  return second === undefined ? { text: first } : { error: 'jq query produced multiple outputs' };
}

// Most of a short run is jq compiling its own library, so several scripts in one program cost little more than one.
function runTogether(jq: Jq, sources: readonly string[], data: string, limits: Limits): string[] | undefined {
  if (!sources.every(isClosed)) return undefined;
  const only = (source: string) => `([${atMostTwo(source)}] | if length == 1 then .[0] else error end)`;
  const program = printed(`(${sources.map(only).join(', ')})`, Math.floor(limits.resultBytes / sources.length));
  const { stdout, exitCode } = jq.raw(data, program, ['-r']);
  const texts = stdout.split('\n');
  return exitCode === 0 && texts.length === sources.length && !texts.includes('null') ? texts : undefined;
}
