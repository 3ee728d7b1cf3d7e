import { refuse } from '../read/reading.ts';
import { type Shape, text } from '../read/shape.ts';

/** The form of the ids of states and functions (workflow-language 1.5), in the original's spelling. */
const PATTERN = '^(([a-z][a-z0-9_\\-\\.]*[a-z0-9])|([a-z]))$';
const NAME = new RegExp(PATTERN);
const HINT =
  'use lower-case letters, digits, dots, dashes and underscores; begin with a letter, end with a letter or digit';

/** An id that must be there and be a name; `complaint` stands before the pattern when it is not. */
export function identifier(complaint: string): Shape<string> {
  return (node, place, reading) => {
    const name = text(node, place, reading) ?? '';
    if (name === '') refuse(reading, place, 'id required');
    else if (!NAME.test(name))
      refuse(
        reading,
        node ?? place,
        complaint.replace('%', () => PATTERN),
        () => HINT,
      );
    return name;
  };
}
