import Mustache from 'mustache';
import { isObject } from '../../../language/json.ts';
import { COMMAND_ERROR, type Fields, ImageError, imageFunction, rejected, textOf } from './call.ts';

/** The longest template, characters. */
const MAX_TEMPLATE = 256 * 1024;
/** How many parts of a template are rendered at most: sections in sections multiply. */
const MAX_PARTS = 200_000;
/** The longest result, characters. */
const MAX_RESULT = 8 * 1024 * 1024;

/** A writer that stops when a template takes too much work. */
class BoundedWriter extends Mustache.Writer {
  private parts = 0;
  private length = 0;

  override renderTokens(...args: Parameters<InstanceType<typeof Mustache.Writer>['renderTokens']>): string {
    this.parts += args[0].length + 1;
    if (this.parts > MAX_PARTS) throw tooLarge(`more than ${MAX_PARTS} parts`);
    const text = super.renderTokens(...args);
    this.length += text.length;
    if (this.length > MAX_RESULT) throw tooLarge(`more than ${MAX_RESULT} characters`);
    return text;
  }
}

const tooLarge = (what: string): ImageError => new ImageError(COMMAND_ERROR, `the template renders ${what}`);

/** The text of the template: `template` names one of `files`. */
function templateOf(fields: Fields): string {
  const name = textOf(fields, 'template');
  const files = fields['files'] ?? [];
  if (!Array.isArray(files)) throw rejected("'files' in the input must be a list");
  const file: unknown = files.find((one) => isObject(one) && one['name'] === name);
  if (!isObject(file)) throw new ImageError(COMMAND_ERROR, `no file '${name}' in 'files' of the input`);
  const text = textOf(file, 'data');
  if (text.length > MAX_TEMPLATE)
    throw new ImageError(COMMAND_ERROR, `the template exceeds ${MAX_TEMPLATE} characters`);
  return text;
}

/** `direktiv/functions/mustache` (docs/native-images.md). */
export const mustache = imageFunction(COMMAND_ERROR, async ({ fields }) => {
  const template = templateOf(fields);
  return { mustache: { result: render(template, fields['data']), success: true } };
});

function render(template: string, data: unknown): string {
  try {
    return new BoundedWriter().render(template, data);
  } catch (error) {
    if (error instanceof ImageError) throw error;
    throw new ImageError(COMMAND_ERROR, error instanceof Error ? error.message : String(error));
  }
}
