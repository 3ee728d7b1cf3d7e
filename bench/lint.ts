import { parseYaml } from '../lib/language/yaml/parser.ts';
import { lint, lintFolder } from '../lib/lint/lint.ts';

/** Times of lint, in milliseconds of the processor, so that other processes do not count. */
export interface LintTimes {
  /** All findings of a folder of `WORKFLOWS` workflows, the first time in this process. */
  readonly folder: number;
  /** The findings of a text of `LINES` lines after one more character was typed: the median of several. */
  readonly keystroke: number;
  /** The same text parsed as YAML only. */
  readonly parse: number;
}

export const WORKFLOWS = 500;
export const LINES = 1000;

/** The kinds of states that the texts repeat: calls with queries and catches, branches, transforms in both languages, waits. */
const STATES: readonly ((index: number) => string)[] = [
  (index) =>
    `- id: s${index}\n  type: action\n  action:\n    function: pay\n    secrets: [TOKEN]\n    input: {key: jq(.secrets.TOKEN), sum: 'jq(.order.items | map(.price * ${index}) | add)'}\n  catch:\n  - {error: '*', transition: s${index + 1}}\n  transform: 'jq(. + {r${index % 7}: .return.total, list: (.return.items // [])})'\n  transition: s${index + 1}\n`,
  (index) =>
    `- id: s${index}\n  type: switch\n  conditions:\n  - condition: jq(.order.total > ${index})\n    transition: s${index + 1}\n  - condition: jq(.order.kind == "x${index}")\n    transition: s${index + 1}\n  defaultTransition: s${index + 1}\n`,
  (index) =>
    `- id: s${index}\n  type: noop\n  log: 'jq("state ${index} " + (.order.id | tostring))'\n  transform:\n    order: jq(.order)\n    sum: 'js(let s = ${index}; for (const x of data.order.items) s += x; return s)'\n  transition: s${index + 1}\n`,
  (index) => `- id: s${index}\n  type: delay\n  duration: PT5S\n  transition: s${index + 1}\n`,
];

/** A workflow without mistakes that has at least `lines` lines. Its states have numbers from `first` on. */
function workflowOf(lines: number, first: number): string {
  let text = 'functions:\n- {id: pay, type: subflow, workflow: w0}\nstates:\n';
  let count = 3;
  let index = first;
  for (; count < lines; index += 1) {
    const state = STATES[(index - first) % STATES.length]?.(index) ?? '';
    text += state;
    count += state.split('\n').length - 1;
  }
  return `${text}- {id: s${index}, type: noop}\n`;
}

const KEYSTROKES = 60;

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;

function timed(work: () => unknown): number {
  const begin = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(begin);
  return (user + system) / 1000;
}

/** Measures lint, each keystroke beside the parsing of the same text, so that a disturbance meets both. */
export function timeLint(): LintTimes {
  const texts = Array.from({ length: WORKFLOWS }, (_, index) => [`w${index}`, workflowOf(60, index * 100)] as const);
  const folder = timed(() => lintFolder(new Map(texts)));
  const text = workflowOf(LINES, 0);
  const times = Array.from({ length: KEYSTROKES }, (_, index) => {
    const typed = text.replace('"state 2 ', `"state 2 ${'x'.repeat(index)}`);
    return { parse: timed(() => parseYaml(typed)), keystroke: timed(() => lint(typed)) };
  });
  // The first half warms the process up, as the first minutes of an editor do.
  const warm = times.slice(KEYSTROKES / 2);
  return { folder, keystroke: median(warm.map((one) => one.keystroke)), parse: median(warm.map((one) => one.parse)) };
}
