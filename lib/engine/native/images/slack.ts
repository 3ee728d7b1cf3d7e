import { toJson } from '../../../language/json.ts';
import { COMMAND_ERROR, imageFunction, textOf } from './call.ts';
import { jsonOf, sendImageRequest } from './requests.ts';

/** `direktiv/functions/slack`: posts to an incoming webhook of Slack (docs/native-images.md). */
export const slack = imageFunction(COMMAND_ERROR, async (call) => {
  const { fields } = call;
  const request = { url: textOf(fields, 'webhook-url'), headers: { 'content-type': 'application/json' } };
  const body = Buffer.from(toJson(fields['content'] ?? null));
  const response = await sendImageRequest({ ...call, fields: request }, { method: 'POST', body, isInsecure: false });
  const value = jsonOf(response.body);
  const result = value === undefined ? Buffer.from(response.body).toString('utf8') : value.json;
  return { slack: { result, success: true } };
});
