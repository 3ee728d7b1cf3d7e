import type { NativeImage } from '../../compiler/plan/native-images.ts';
import type { NativeFunction } from '../http/outcome.ts';
import type { PreparedRequest } from '../http/prepared.ts';
import { sendCall } from '../http/sending.ts';
import { lambda } from '../lambdas/invoking.ts';
import { sendMail } from '../mails/mailing.ts';
import { debug, echo } from './images/echo.ts';
import { googleChat } from './images/google-chat.ts';
import { helloWorld } from './images/hello-world.ts';
import { httpRequest } from './images/http-request.ts';
import { mustache } from './images/mustache.ts';
import { request } from './images/request.ts';
import { sendmail } from './images/sendmail.ts';
import { slack } from './images/slack.ts';
import { smtp } from './images/smtp.ts';
import { smtpBare } from './images/smtp-bare.ts';
import { twilio } from './images/twilio.ts';

const http: NativeFunction = ({ namespaceId, namespace, key, traceparent, ...call }, input) =>
  sendCall({
    ...call,
    identity: { namespaceId, namespace, idempotencyKey: key, traceparent },
    request: input as PreparedRequest,
  });

/** The native functions by the names that stored calls hold; a name never changes its meaning. */
const FUNCTIONS = {
  http,
  lambda,
  mail: sendMail,
  'http-request': httpRequest,
  request,
  mustache,
  echo,
  debug,
  slack,
  sendmail,
  smtp,
  'smtp-bare': smtpBare,
  'hello-world': helloWorld,
  googlemsg: googleChat,
  googlechat: googleChat,
  twilio,
} as const satisfies Readonly<Record<'http' | 'lambda' | 'mail' | NativeImage, NativeFunction>>;

/** The name of a native function. */
export type NativeName = keyof typeof FUNCTIONS;

/** The native function of a name; undefined for one that this version does not know. */
export const nativeOf = (name: string): NativeFunction | undefined =>
  Object.hasOwn(FUNCTIONS, name) ? FUNCTIONS[name as NativeName] : undefined;
