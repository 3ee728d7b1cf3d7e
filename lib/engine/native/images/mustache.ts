import { isObject } from '../../../language/json.ts';
import { renderTemplate } from '../../evaluation/evaluation.ts';
import { onAccountOf, presentTenant } from '../../evaluation/tenants.ts';
import { COMMAND_ERROR, type ImageCall, ImageError, imageFunction, rejected, textOf } from './call.ts';

/** The longest template, characters. */
const MAX_TEMPLATE = 256 * 1024;
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
  const tenant = { ...presentTenant(), id: call.context.namespaceId };
  const result = await onAccountOf(tenant, () => renderTemplate(template, call.fields['data']));
  return { mustache: { result, success: true } };
});
