import type { Jq } from 'jq-wasm/inline';
import {
  type Engine,
  failureMessage,
  type Limits,
  noResultMessage,
  type ScriptResult,
  severalOutputsMessage,
} from '../scripts/engine.ts';
import { isSelfContained } from './brackets.ts';
import { jqErrorMessage } from './error-messages.ts';
import { strptime } from './gojq/date-parsing.ts';
import { gmtime, mktime, strftime } from './gojq/dates.ts';
import { definitionsOf } from './gojq/definitions.ts';
import { loadHostedJq } from './gojq/hosted-jq.ts';
import { match, split } from './gojq/regular-expressions.ts';
import { translate } from './gojq/translation.ts';

/** The functions that definitions in jq call. */
export const HOST_FUNCTIONS = { gmtime, match, mktime, split, strftime, strptime };

/** Loads jq-wasm. Programs have no access to an environment, to modules or to standard error. */
export async function createJqEngine(limits: Limits): Promise<Engine> {
  const jq = await loadHostedJq(HOST_FUNCTIONS);
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
function printed(names: Iterable<string>, program: string, most: number): string {
  const print = `def _print: tojson | if utf8bytelength > ${most} then error("the result is too large") end;`;
  return `${print} ${definitionsOf(names)} ${PRELUDE}${program} | _print`;
}

// A line feed behind the input ends what jq reads before it calls functions of this process.
const evaluate = (jq: Jq, data: string, program: string) => jq.raw(`${data}\n`, program, ['-r']);

/** The exit code of jq for a program that it refuses. */
const REFUSED = 3;

function run(jq: Jq, source: string, data: string, limits: Limits): ScriptResult {
  const { names, program } = translate(source);
  const { stdout, stderr, exitCode } = evaluate(jq, data, printed(names, atMostTwo(program), limits.resultBytes));
  if (exitCode === REFUSED && program !== source)
    return {
      error: failureMessage(
        'jq',
        source,
        jqErrorMessage(evaluate(jq, 'null', printed([], atMostTwo(source), 0)).stderr, source),
      ),
    };
  if (exitCode !== 0) return { error: failureMessage('jq', source, jqErrorMessage(stderr, source)) };
  const [first = '', second] = stdout.split('\n');
  if (first === '' || first === 'null') return { error: noResultMessage('jq', source) };
  return second === undefined ? { text: first } : { error: severalOutputsMessage(source) };
}

// jq compiles its library for each program, so one program of several scripts takes little more time than one script.
function runTogether(jq: Jq, sources: readonly string[], data: string, limits: Limits): string[] | undefined {
  if (!sources.every(isSelfContained)) return undefined;
  const translations = sources.map(translate);
  const only = (source: string) => `([${atMostTwo(source)}] | if length == 1 then .[0] else error end)`;
  const joined = `(${translations.map(({ program }) => only(program)).join(', ')})`;
  const names = new Set(translations.flatMap((one) => [...one.names]));
  const program = printed(names, joined, Math.floor(limits.resultBytes / sources.length));
  const { stdout, exitCode } = evaluate(jq, data, program);
  const texts = stdout.split('\n');
  return exitCode === 0 && texts.length === sources.length && !texts.includes('null') ? texts : undefined;
}
