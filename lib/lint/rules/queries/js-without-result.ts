import { allScripts, changeScript, type Rule, type ScriptChange } from '../../reports/rule.ts';

/** Names that other environments have and the engine has not (workflow-language 5.4). */
const ABSENT = /(?<![\w$.'"`])(console|require|process|fetch|setTimeout|setInterval|Buffer|window|document)\s*[.(]/g;

/** The script declares the name itself, or tests whether it exists. */
const isOwn = (source: string, name: string): boolean =>
  new RegExp(`\\b(?:var|let|const|function|typeof)\\s+${name}\\b|[(,]\\s*${name}\\s*[,)]`).test(source);

const STRINGS = /"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|\/\/[^\n]*|\/\*[\s\S]*?(?:\*\/|$)/g;

/** The source with its strings and comments blanked, so that offsets stay. */
const codeOf = (source: string): string => source.replace(STRINGS, (text) => ' '.repeat(text.length));

/** Removes a call of the console. Brackets inside strings are blanked in the code. */
function replacementOf(code: string, name: string, from: number): ScriptChange | undefined {
  const call = /^console\s*\.\s*\w+\s*\((?:[^()]|\([^()]*\))*\)\s*;?[ \t]*/.exec(code.slice(from))?.[0];
  return name === 'console' && call !== undefined ? { from, to: from + call.length, text: '' } : undefined;
}

export const jsWithoutResult: Rule = {
  severity: 'warning',
  about:
    'A JavaScript query has no `return`, so that it has no result, or it uses an object that only browsers or Node.js have. The state fails with `service.jq.badCommand`.',
  wrong: `states:
- id: total
  type: noop
  transform:
    sum: js(data.a + data.b)
`,
  right: `states:
- id: total
  type: noop
  transform:
    sum: js(return data.a + data.b)
`,
  *check(workflow) {
    for (const { script } of allScripts(workflow)) {
      if (script.kind !== 'js') continue;
      const { source } = script;
      const code = codeOf(source);
      if (!/\b(return|throw)\b/.test(code)) {
        const from = source.length - source.trimStart().length;
        const at = script.at(from);
        const isExpression = !/[;\n={]/.test(source.trim()) && source.trim() !== '';
        const mend = { title: "add 'return'", edits: [{ from: at, to: at, text: 'return ' }], isCertain: isExpression };
        const hint = "the script is the body of a function: 'return' its result";
        yield { at, message: 'js: the script returns nothing', hint, ...(isExpression && { mend }) };
      }
      const absent = [...code.matchAll(ABSENT)];
      const own = new Set([...new Set(absent.map(([, name = '']) => name))].filter((name) => isOwn(code, name)));
      for (const found of absent) {
        const [, name = ''] = found;
        if (own.has(name)) continue;
        const at = script.at(found.index);
        const change = replacementOf(code, name, found.index);
        const mend = change && changeScript(workflow, script, [change]);
        yield {
          at,
          end: script.at(found.index + name.length),
          message: `js: ${name} does not exist in queries`,
          hint: 'only the objects of ECMAScript itself exist',
          ...(mend && { mend }),
        };
      }
    }
  },
};
