import { isObject, toJson } from '../../../language/json.ts';
import { ownMember } from '../../../language/own-members.ts';
import { retryAfterOf } from '../../http/responses.ts';
import { COMMAND_ERROR, type Fields, ImageError, imageFunction, rejected, textOf } from './call.ts';
import { basicOf, goHeaders, jsonOf, sendImageRequest, statusText } from './requests.ts';

/** The bytes of `content`: `{kind, value}`, or any other value as JSON. */
function contentOf({ content }: Fields): Buffer | undefined {
  if (content === undefined || content === null) return undefined;
  if (!isObject(content) || !('kind' in content || 'value' in content)) return Buffer.from(toJson(content));
  const { kind, value } = content;
  if (kind === 'json' || (kind === undefined && typeof value !== 'string')) return Buffer.from(toJson(value ?? null));
  if (typeof value !== 'string') throw rejected(`'content.value' in the input must be a text for this kind`);
  const name = kind ?? 'string';
  const decode = typeof name === 'string' ? ownMember(CONTENT, name) : undefined;
  if (decode === undefined) throw rejected("'content.kind' in the input must be string, base64, file or json");
  return decode(value);
}

const CONTENT: Readonly<Record<string, (value: string) => Buffer>> = {
  string: (value) => Buffer.from(value),
  base64: (value) => Buffer.from(value, 'base64'),
  file: (value) => {
    const mend = "list the variable in 'files' of the action, which is then served by a container";
    throw new ImageError(COMMAND_ERROR, `open ${value}: no such file; ${mend}`);
  },
};

/** `direktiv/http-request` (docs/native-images.md). */
export const httpRequest = imageFunction(COMMAND_ERROR, async (call) => {
  const { fields, context } = call;
  const user = textOf(fields, 'username', '');
  const response = await sendImageRequest(call, {
    method: textOf(fields, 'method', 'GET'),
    body: contentOf(fields),
    authorization: user === '' ? undefined : basicOf(user, textOf(fields, 'password', '')),
    isInsecure: fields['insecure'] === true,
  });
  const { status, body } = response;
  if (fields['error200'] === true && (status < 200 || status > 299)) {
    const message = `response status is not between 200-299: ${status} (${statusText(status)})`;
    throw new ImageError(COMMAND_ERROR, message, retryAfterOf(response, context.ports.clock.now()));
  }
  const value = jsonOf(body);
  const result = value === undefined ? Buffer.from(body).toString('base64') : value.json;
  return [{ code: status, headers: goHeaders(response), result, status: statusText(status), success: true }];
});
