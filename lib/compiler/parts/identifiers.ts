import { reportInvalid } from '../decoding/context.ts';
import { createDecoder, type Decoder, text } from '../decoding/decoders.ts';

/** The pattern of ids of states and functions, in the spelling of the original's messages (workflow-language 1.5). */
export const IDENTIFIER_PATTERN = '^(([a-z][a-z0-9_\\-\\.]*[a-z0-9])|([a-z]))$';
const IDENTIFIER = new RegExp(IDENTIFIER_PATTERN);
const HINT =
  'use lower-case letters, digits, dots, dashes and underscores; begin with a letter, end with a letter or digit';

/** Longer ids are rejected: logs, metrics and lists name the states of a run in every row. */
export const MAX_IDENTIFIER_LENGTH = 256;

/** A required id. `message` is the text about a wrong one; its `%` stands for the pattern. */
export function identifier(message: string): Decoder<string> {
  return createDecoder({ kind: 'identifier', isRequired: true }, (node, field, context) => {
    const name = text(node, field, context) ?? '';
    if (name === '') reportInvalid(context, field, 'id required');
    else if (!IDENTIFIER.test(name)) {
      const problem = message.replace('%', () => IDENTIFIER_PATTERN);
      reportInvalid(context, node ?? field, problem, () => HINT);
    } else if (name.length > MAX_IDENTIFIER_LENGTH) {
      reportInvalid(context, node ?? field, `an id has at most ${MAX_IDENTIFIER_LENGTH} characters`);
    }
    return name;
  });
}
