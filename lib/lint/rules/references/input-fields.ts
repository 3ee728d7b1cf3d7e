import { INPUT_FIELDS } from '../../../compiler/plan/input-fields.ts';
import { nativeImageOfCommand } from '../../../compiler/plan/native-images.ts';
import { omitUndefined } from '../../../language/omit-undefined.ts';
import { ownMember } from '../../../language/own-members.ts';
import { closestName } from '../../../language/suggestions.ts';
import type { Node } from '../../../language/yaml/parser.ts';
import { functionCalls, textAt } from '../../document/calls.ts';
import { select } from '../../document/queries.ts';
import { type Rule, replaceName } from '../../reports/rule.ts';

/** What the input of a function describes, and the fields that it may have. */
interface Input {
  readonly what: string;
  readonly known: readonly string[];
}

const OF_TYPES: Readonly<Record<string, Input>> = {
  mail: { what: 'a mail', known: INPUT_FIELDS.mail },
  http: { what: "the input of an 'http' function", known: INPUT_FIELDS.http },
};

/** The input of a function; undefined if it may have any field. */
function inputOf(called: Node): Input | undefined {
  const type = textAt(called, 'type');
  if (type !== 'knative-workflow') return ownMember(OF_TYPES, type);
  const native = nativeImageOfCommand(textAt(called, 'image'), textAt(called, 'cmd'));
  const known = native === undefined ? undefined : ownMember<readonly string[]>(INPUT_FIELDS, native);
  return known && { what: `the input of the image '${native}'`, known };
}

export const inputFields: Rule = {
  severity: 'warning',
  about:
    'The `input` of an action has a field that its function does not know: one of the type `mail` or `http`, or an image that Weft serves itself. Mails, `http` functions and some images fail with it; the others ignore it.',
  wrong: `functions:
- {id: get, type: http, url: 'https://shop.example.com/orders'}
states:
- id: read
  type: action
  action:
    function: get
    input: {header: {Accept: application/json}}
`,
  right: `functions:
- {id: get, type: http, url: 'https://shop.example.com/orders'}
states:
- id: read
  type: action
  action:
    function: get
    input: {headers: {Accept: application/json}}
`,
  *check(workflow) {
    for (const { action, called } of functionCalls(workflow)) {
      const [input] = select(action, 'input');
      const expected = inputOf(called);
      if (expected === undefined || input?.node.kind !== 'map') continue;
      const { what, known } = expected;
      for (const { key, line, column } of input.node.entries.values()) {
        if (known.includes(key)) continue;
        const near = closestName(key, known);
        const mend = near === undefined ? undefined : replaceName(workflow, { line, column }, { from: key, to: near });
        const hint = near === undefined ? `${what} has ${known.join(', ')}` : `did you mean '${near}'?`;
        yield { at: { line, column }, message: `${what} has no field '${key}'`, hint, ...omitUndefined({ mend }) };
      }
    }
  },
};
