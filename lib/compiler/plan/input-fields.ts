import { MAIL_FIELDS } from './mails.ts';
import type { NativeImage } from './native-images.ts';

/** The fields of the images that send a request; `debug` of the originals has no effect. */
const REQUEST = ['debug', 'method', 'url', 'params', 'headers', 'username', 'password'] as const;
const GOOGLE = ['message', 'url'] as const;

/** The fields that the input of an action may have: of functions with an input of their own, and of images that have no others. */
export const INPUT_FIELDS = {
  mail: MAIL_FIELDS,
  http: ['url', 'method', 'path', 'headers', 'query', 'body', 'timeout', 'expect', 'redirects'],
  'http-request': [...REQUEST, 'insecure', 'error200', 'content'],
  request: [...REQUEST, 'insecureSkipVerify', 'body'],
  googlemsg: GOOGLE,
  googlechat: GOOGLE,
  twilio: ['debug', 'typeof', 'sid', 'token', 'subject', 'message', 'htmlMessage', 'from', 'to'],
} as const satisfies { readonly [K in NativeImage | 'mail' | 'http']?: readonly string[] };
