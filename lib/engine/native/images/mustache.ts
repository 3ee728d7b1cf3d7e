import Mustache from 'mustache';
import { isObject } from '../../../language/json.ts';
import { COMMAND_ERROR, type ImageCall, ImageError, imageFunction, rejected, textOf } from './call.ts';

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
async function templateOf(call: ImageCall): Promise<string> {
  const { fields } = call;
  const name = textOf(fields, 'template');
  const files = fields['files'] ?? [];
  if (!Array.isArray(files)) throw rejected("'files' in the input must be a list");
  const file: unknown = files.find((one) => isObject(one) && one['name'] === name);
  const text = isObject(file) ? textOf(file, 'data') : await textOfAction(call, name);
  if (text.length > MAX_TEMPLATE)
    throw new ImageError(COMMAND_ERROR, `the template exceeds ${MAX_TEMPLATE} characters`);
  return text;
}

/** The text of one of the files of the action. */
async function textOfAction({ context }: ImageCall, name: string): Promise<string> {
  const file = (await context.readFiles()).find((one) => one.name === name && one.type === 'plain');
  if (file === undefined)
    throw new ImageError(COMMAND_ERROR, `no file '${name}' in 'files' of the input or of the action`);
  return Buffer.from(file.bytes).toString('utf8');
}

/** `direktiv/functions/mustache` (docs/native-images.md). */
export const mustache = imageFunction(COMMAND_ERROR, async (call) => {
  const template = await templateOf(call);
  return { mustache: { result: render(template, call.fields['data']), success: true } };
});

function render(template: string, data: unknown): string {
  try {
    return new BoundedWriter().render(template, data);
  } catch (error) {
    if (error instanceof ImageError) throw error;
    throw new ImageError(COMMAND_ERROR, error instanceof Error ? error.message : String(error));
  }
}
