import { hash } from 'node:crypto';
import { RawReply } from '../../../lib/api/http/reply.ts';
import type { Asked, Decision } from '../../../lib/engine/approvals/decisions.ts';
import { FIELD_PREFIX, type FormField, fieldsOf } from '../../../lib/engine/approvals/form.ts';
import { ownMember } from '../../../lib/language/own-members.ts';

const STYLE =
  'body{font:1.1rem/1.5 system-ui,sans-serif;max-width:36rem;margin:2rem auto;padding:0 1rem;color:#1a1a1a;background:#fff}' +
  'h1{font-size:1.5rem}label,legend{display:block;font-weight:600;margin-top:1rem}' +
  'input:not([type=checkbox]),select{font:inherit;width:100%;padding:.5rem;border:1px solid #666;border-radius:.3rem;box-sizing:border-box}' +
  'small{display:block;color:#444;font-weight:400}button{font:inherit;font-weight:600;margin-top:1.5rem;padding:.7rem 1.5rem;' +
  'color:#fff;background:#0b57d0;border:0;border-radius:.3rem}[role=alert]{border-left:.3rem solid #b3261e;padding:.5rem 1rem}' +
  '.text{white-space:pre-wrap}@media(prefers-color-scheme:dark){body{color:#eee;background:#1a1a1a}small{color:#bbb}' +
  'input,select{color:#eee;background:#2a2a2a}}';

/** No script, no request to another origin, no frame, and no `Referer` header: the URL of the page is a credential. */
const HEADERS = {
  'Content-Type': 'text/html; charset=utf-8',
  'Content-Security-Policy': `default-src 'none'; style-src 'sha256-${hash('sha256', STYLE, 'base64')}'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'`,
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
  'X-Robots-Tag': 'noindex',
  'Referrer-Policy': 'no-referrer',
  'Cache-Control': 'no-store',
};

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

const escaped = (text: string): string =>
  text.replaceAll(/[&<>"']/g, (character) => ownMember(ENTITIES, character) ?? '');

const pageOf = (status: number, title: string, content: string): RawReply =>
  new RawReply(
    `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">` +
      `<title>${escaped(title)}</title><style>${STYLE}</style></head><body><main><h1>${escaped(title)}</h1>${content}</main></body></html>`,
    HEADERS,
    status,
  );

function inputOf({ name, kind, words, isRequired }: FormField, value: string): string {
  const attributes = `id="${escaped(FIELD_PREFIX + name)}" name="${escaped(FIELD_PREFIX + name)}"`;
  const required = isRequired ? ' required' : '';
  if (kind === 'flag') return `<input type="checkbox" value="true" ${attributes}${value === '' ? '' : ' checked'}>`;
  if (kind === 'choice') {
    const options = ['', ...words].map(
      (word) => `<option${word === value ? ' selected' : ''}>${escaped(word)}</option>`,
    );
    return `<select ${attributes}${required}>${options.join('')}</select>`;
  }
  const type = kind === 'number' ? 'type="number" step="any"' : 'type="text"';
  return `<input ${type} ${attributes} value="${escaped(value)}"${required}>`;
}

function fieldOf(field: FormField, given: URLSearchParams): string {
  const { name, label, description } = field;
  const more = description === '' ? '' : `<small>${escaped(description)}</small>`;
  const input = inputOf(field, given.get(FIELD_PREFIX + name) ?? '');
  return `<label for="${escaped(FIELD_PREFIX + name)}">${escaped(label)}${more}</label>${input}`;
}

/** The page that asks for a decision. `violations`: why the form was not accepted, with its values. */
export function askPage(
  { run, work, choice }: Asked,
  given = new URLSearchParams(),
  violations: readonly string[] = [],
): RawReply {
  const { subject, text = '', assignees } = run.wait.approval;
  const errors = violations.map((one) => `<li>${escaped(one)}</li>`).join('');
  const content = [
    text === '' ? '' : `<p class="text">${escaped(text)}</p>`,
    assignees.length === 0 ? '' : `<p>For: ${escaped(assignees.join(', '))}</p>`,
    errors === '' ? '' : `<div role="alert"><p>Please correct the form:</p><ul>${errors}</ul></div>`,
    '<form method="post">',
    ...fieldsOf(work.form).map((field) => fieldOf(field, given)),
    '<label for="by">Your name</label>',
    `<input id="by" name="by" autocomplete="name" maxlength="200" value="${escaped(given.get('by') ?? '')}" required>`,
    `<button type="submit">${escaped(choice)}</button></form>`,
  ];
  return pageOf(violations.length === 0 ? 200 : 400, subject, content.join(''));
}

/** The page after a decision. */
export const decidedPage = ({ run, choice }: Asked): RawReply =>
  pageOf(
    200,
    run.wait.approval.subject,
    `<p>Decided: <strong>${escaped(choice)}</strong>. You can close this page.</p>`,
  );

/** The page of an approval that another request has decided. */
export const earlierPage = ({ run }: Asked, { choice, by, at }: Decision): RawReply =>
  pageOf(
    409,
    run.wait.approval.subject,
    `<p>This was decided before: <strong>${escaped(choice)}</strong> by ${escaped(by)} at ${escaped(at)}.</p>`,
  );

/** The same page for a wrong link and for an approval that is over: a client cannot distinguish them. */
export const closedPage = (): RawReply =>
  pageOf(
    404,
    'Not open',
    '<p>There is nothing to decide here: it was decided, it is too late, or the link is wrong.</p>',
  );
