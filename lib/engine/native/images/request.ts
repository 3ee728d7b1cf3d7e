import { isObject, toJson } from '../../../language/json.ts';
import { type Fields, imageFunction, textOf } from './call.ts';
import { basicOf, goHeaders, jsonOf, sendImageRequest, statusText } from './requests.ts';

function bodyOf({ body }: Fields): Buffer | undefined {
  if (body === undefined || body === null) return undefined;
  return Buffer.from(typeof body === 'string' ? body : toJson(body));
}

/** An object is `body`; anything else is `data`, in base64. Neither is there for an empty one. */
function contentOf(body: Uint8Array): Readonly<Record<string, unknown>> {
  const json = jsonOf(body)?.json;
  if (json === null || body.length === 0) return {};
  if (!isObject(json)) return { data: Buffer.from(body).toString('base64') };
  return Object.keys(json).length === 0 ? {} : { body: json };
}

/** `direktiv/request` (docs/native-images.md). */
export const request = imageFunction('com.send-request.error', async (call) => {
  const { fields } = call;
  const [user, password] = [textOf(fields, 'username', ''), textOf(fields, 'password', '')];
  const response = await sendImageRequest(call, {
    method: textOf(fields, 'method', '') || 'GET',
    body: bodyOf(fields),
    authorization: user === '' || password === '' ? undefined : basicOf(user, password),
    isInsecure: fields['insecureSkipVerify'] === true,
  });
  const { status } = response;
  return {
    ...contentOf(response.body),
    headers: goHeaders(response),
    'status-code': status,
    status: statusText(status),
  };
});
