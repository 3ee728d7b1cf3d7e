import { isObject } from '../../../language/json.ts';
import { textOf as toJsonText } from '../../../language/own-members.ts';
import { type Fields, type ImageCall, ImageError, imageFunction, rejected, textOf } from './call.ts';
import { deliverMails, filesOfAction, needFile, serverOf, textsOf } from './mails.ts';

const CODE = 'com.smtp.error';

/** The longest HTML of a mail that `args` make, characters. */
const MAX_HTML = 4 * 1024 * 1024;

const escaped = (text: string): string =>
  text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&#34;')
    .replaceAll("'", '&#39;');

const shown = (value: unknown): string => {
  if (value === undefined || value === null) return '';
  const text = toJsonText(value);
  if (text.length > MAX_HTML) throw tooLong();
  return escaped(text);
};

const tooLong = (): ImageError => new ImageError(CODE, `the template renders more than ${MAX_HTML} characters`);

const FIELD = /^\.\w+(?:\.\w+)*$/;

/** The text of a field of `args` by its path, such as `.name`. Throws ImageError for any other action of a template. */
function fieldOf(action: string, args: Fields): string {
  if (!FIELD.test(action)) {
    const mend = 'the container of the image renders it where the namespace has functions.native: false';
    const found = action.length > MAX_SHOWN ? `${action.slice(0, MAX_SHOWN)}…` : action;
    throw new ImageError(
      CODE,
      `the template has '{{${found}}}', but only fields such as '{{ .name }}' are rendered: ${mend}`,
    );
  }
  const path = action.slice(1).split('.');
  return shown(
    path.reduce<unknown>(
      (value, name) => (isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined),
      args,
    ),
  );
}

/** How much of an action of a template an error shows, characters. */
const MAX_SHOWN = 200;

/** The action between its braces; a hyphen inside of them is a part of them. */
const trimmed = (action: string): string => action.replace(/^-/, '').replace(/-$/, '').trim();

/**
 * The text with the fields of `args` in place of `{{ .name }}`, in time that is proportional to its length. Throws ImageError
 * for any other action of a template, and for a result that is too long.
 */
function render(text: string, args: Fields): string {
  const fields = new Map<string, string>();
  const parts: string[] = [];
  let length = 0;
  const add = (part: string): void => {
    length += part.length;
    if (length > MAX_HTML) throw tooLong();
    parts.push(part);
  };
  let at = 0;
  for (let open = text.indexOf('{{'); open >= 0; open = text.indexOf('{{', at)) {
    const close = text.indexOf('}}', open + 2);
    if (close < 0) break;
    add(text.slice(at, open));
    const action = trimmed(text.slice(open + 2, close));
    const field = fields.get(action) ?? fieldOf(action, args);
    fields.set(action, field);
    add(field);
    at = close + 2;
  }
  add(text.slice(at));
  return parts.join('');
}

const BASE64 = /^[A-Za-z0-9+/\r\n]+={0,2}$/;

/** The HTML of the mail: `template` says that it is in base64, and `args` that it is a template. */
function htmlOf(fields: Fields): string {
  const { template, args } = fields;
  const message = textOf(fields, 'message', '');
  const text =
    template === true && BASE64.test(message.trimEnd()) ? Buffer.from(message, 'base64').toString('utf8') : message;
  return isObject(args) ? render(text, args) : text;
}

async function send(call: ImageCall): Promise<unknown> {
  const { fields } = call;
  const from = textOf(fields, 'from');
  const to = textsOf(fields, 'to');
  if (to.length === 0) throw rejected("'to' in the input is required");
  const login = { user: textOf(fields, 'user', '') || from, password: textOf(fields, 'password', '') };
  const given = { host: textOf(fields, 'server'), port: Number(fields['port']), ...login };
  const server = serverOf(given, { isInsecure: fields['insecure'] === true });
  const names = textsOf(fields, 'images');
  const files = await filesOfAction(call, CODE);
  const subject = textOf(fields, 'subject', '');
  const images = names.map((name) => ({ ...needFile(files, name, CODE), contentId: name }));
  await deliverMails(call, server, [{ from, to, cc: [], bcc: [], subject, html: htmlOf(fields), attachments: images }]);
  return '';
}

/** `direktiv/smtp` (docs/native-images.md). */
export const smtp = imageFunction(CODE, send);
