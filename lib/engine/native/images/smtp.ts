import { isObject } from '../../../language/json.ts';
import { type Fields, type ImageCall, ImageError, imageFunction, rejected, textOf } from './call.ts';
import { deliverMails, filesOfAction, needFile, serverOf, textsOf } from './mails.ts';

const CODE = 'com.smtp.error';

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&#34;',
  "'": '&#39;',
};

const escaped = (text: string): string => text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? character);

const shown = (value: unknown): string =>
  value === undefined || value === null
    ? ''
    : escaped(typeof value === 'object' ? JSON.stringify(value) : String(value));

const ACTION = /\{\{-?\s*(.*?)\s*-?\}\}/gs;
const FIELD = /^\.\w+(?:\.\w+)*$/;

/** The text with the fields of `args` in place of `{{ .name }}`. Throws ImageError for any other action of a template. */
function render(text: string, args: Fields): string {
  return text.replace(ACTION, (_action, expression: string) => {
    if (!FIELD.test(expression)) {
      const mend = 'the container of the image renders it where the namespace has functions.native: false';
      throw new ImageError(
        CODE,
        `the template has '{{${expression}}}', but only fields such as '{{ .name }}' are rendered: ${mend}`,
      );
    }
    const path = expression.slice(1).split('.');
    return shown(
      path.reduce<unknown>(
        (value, name) => (isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined),
        args,
      ),
    );
  });
}

const BASE64 = /^[A-Za-z0-9+/\r\n]+={0,2}\s*$/;

/** The HTML of the mail: `template` says that it is in base64, and `args` that it is a template. */
function htmlOf(fields: Fields): string {
  const { template, args } = fields;
  const message = textOf(fields, 'message', '');
  const text = template === true && BASE64.test(message) ? Buffer.from(message, 'base64').toString('utf8') : message;
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
  await deliverMails(call, server, [
    { from, to, cc: [], bcc: [], subject, body: htmlOf(fields), isHtml: true, attachments: images },
  ]);
  return '';
}

/** `direktiv/smtp` (docs/native-images.md). */
export const smtp = imageFunction(CODE, send);
