import { JqSyntaxError } from '../../../language/jq/syntax/errors.ts';
import { unknownNames } from '../../../language/jq/syntax/names.ts';
import { omitUndefined } from '../../../language/omit-undefined.ts';
import { allScripts, changeScript, type Rule } from '../../reports/rule.ts';

export const jqUnknownName: Rule = {
  severity: 'warning',
  about:
    'A jq program uses a function or a variable that does not exist, or a function with a wrong number of arguments, which are separated by semicolons. The state fails with `service.jq.badCommand`.',
  wrong: `states:
- id: count
  type: noop
  transform:
    count: jq(.items | lenght)
`,
  right: `states:
- id: count
  type: noop
  transform:
    count: jq(.items | length)
`,
  *check(workflow) {
    for (const { script } of allScripts(workflow)) {
      const { program } = script;
      if (program === undefined || program instanceof JqSyntaxError) continue;
      for (const { from, to, message, hint, changes = [] } of unknownNames(program)) {
        const mend = changes.length === 0 ? undefined : changeScript(workflow, script, changes);
        yield { at: script.at(from), end: script.at(to), message: `jq: ${message}`, ...omitUndefined({ hint, mend }) };
      }
    }
  },
};
