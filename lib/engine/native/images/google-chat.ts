import { INPUT_FIELDS } from '../../../compiler/plan/input-fields.ts';
import { toJson } from '../../../language/json.ts';
import { imageFunction, needKnown, textOf } from './call.ts';
import { sendForBody } from './requests.ts';

const FAILED = 'com.googlechat.error';

/** `direktiv/googlemsg` posts a text to a webhook of Google Chat (docs/native-images.md). */
export const googleChat = imageFunction(FAILED, async (call) => {
  const { fields } = call;
  needKnown(fields, INPUT_FIELDS.googlechat, FAILED);
  const request = { url: textOf(fields, 'url'), headers: { 'content-type': 'application/json' } };
  const body = Buffer.from(toJson({ text: textOf(fields, 'message', '') }));
  return sendForBody({ ...call, fields: request }, { method: 'POST', body, isInsecure: false }, FAILED);
});
