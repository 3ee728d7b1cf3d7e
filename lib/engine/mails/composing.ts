import {
  MAIL_FIELDS,
  type MailFunctionPlan,
  type MailPlan,
  type MailServerPlan,
  portOf,
  tlsOf,
} from '../../compiler/plan/mails.ts';
import type { ActionPlan } from '../../compiler/plan/plan.ts';
import type { MailSettings } from '../../domain/namespaces/mail-settings.ts';
import * as namespaces from '../../domain/namespaces/namespaces.ts';
import { isObject } from '../../language/json.ts';
import { omitUndefined } from '../../language/omit-undefined.ts';
import { ownMember } from '../../language/own-members.ts';
import type { MailServer } from '../../ports/callees/web.ts';
import { evaluate } from '../evaluation/evaluation.ts';
import { evaluateWithSecrets, type SecretReader } from '../evaluation/secrets.ts';
import type { RunnerPorts } from '../ports.ts';
import { addressesOf, attachmentsOf, contentOf, invalidMail, mailMsOf, senderOf, subjectOf } from './decoding.ts';
import type { PreparedMail } from './prepared-mail.ts';

/** The call of a mail function. */
export interface MailCall {
  readonly ports: Pick<RunnerPorts, 'table'>;
  /** The name of the namespace. */
  readonly namespace: string;
  readonly plan: MailFunctionPlan;
  readonly action: Pick<ActionPlan, 'function' | 'input' | 'secrets'>;
}

/** A mail, and the variables that are attached to it, as the files of a call. */
export interface ComposedMail {
  readonly mail: PreparedMail;
  readonly attachments: ActionPlan['files'];
}

type Values = { readonly [K in keyof MailPlan]?: unknown };

/** The fields of a call's input over those of the function. */
function overlay(mail: Values, input: unknown): Values {
  if (input === undefined || input === null) return mail;
  if (!isObject(input)) throw invalidMail(`the action's input is no object; it may have ${MAIL_FIELDS.join(', ')}`);
  const unknown = Object.keys(input).find((name) => !MAIL_FIELDS.some((known) => known === name));
  if (unknown === undefined) return { ...mail, ...input };
  throw invalidMail(`the action's input has an unknown field; it may have ${MAIL_FIELDS.join(', ')}`);
}

/** The server of a function, else that of the namespace, read for this call. Throws `mail.request` without any. */
async function serverFor({ ports, namespace, plan, action }: MailCall): Promise<MailSettings> {
  if (plan.server !== undefined) return plan.server;
  const { mail } = await namespaces.need(ports, namespace);
  if (mail !== undefined) return mail;
  const mend = "write 'server' in the function, or set 'mail' in the settings of the namespace";
  throw invalidMail(`there is no mail server for the function '${action.function}': ${mend}`);
}

/** The server with the values of its secrets. */
async function openServer(plan: MailServerPlan, readSecrets: SecretReader): Promise<MailServer> {
  const { host, insecure: isInsecure = false, user, password } = plan;
  const server = { host, port: portOf(plan), tls: tlsOf(plan), isInsecure };
  if (user === undefined || password === undefined) return server;
  const values = await readSecrets([user, password]);
  return { ...server, login: { user: ownMember(values, user) ?? '', password: ownMember(values, password) ?? '' } };
}

/**
 * The mail of a call: the fields of the function and of the action's input, evaluated over the data and the secrets that the
 * action lists. Throws `mail.request` for one that cannot be sent, `jq.badCommand` and `secrets.notFound`.
 */
export async function composeMail(call: MailCall, data: unknown, readSecrets: SecretReader): Promise<ComposedMail> {
  const { plan, action } = call;
  const { input, secrets: names } = action;
  const query = { mail: plan.mail, ...(input === undefined ? {} : { input }) };
  const listed = names.length === 0 ? {} : await readSecrets(names);
  const values = (
    names.length === 0 ? await evaluate(query, data) : await evaluateWithSecrets(query, data, listed)
  ) as { readonly mail: Values; readonly input?: unknown };
  const mail = overlay(values.mail, values.input);
  const named = await serverFor(call);
  const server = await openServer(named, readSecrets);
  const sender = senderOf(mail.from ?? named.from);
  return {
    mail: {
      server,
      mail: { from: sender.text, ...contentsOf(mail) },
      sender: sender.mailbox,
      ms: mailMsOf(mail.timeout),
      secrets: [...new Set([...Object.values(listed), ...Object.values(server.login ?? {})])],
    },
    attachments: attachmentsOf(mail.attachments),
  };
}

function contentsOf(values: Values): Omit<PreparedMail['mail'], 'from'> {
  const [to, cc, bcc] = [addressesOf(values.to, 'to'), addressesOf(values.cc, 'cc'), addressesOf(values.bcc, 'bcc')];
  if (to.length + cc.length + bcc.length === 0) throw invalidMail("it has no recipient: write 'to', 'cc' or 'bcc'");
  const [text, html] = [contentOf(values.text, 'text'), contentOf(values.html, 'html')];
  const replyTo = addressesOf(values.replyTo, 'replyTo');
  const content = text === undefined && html === undefined ? { text: '' } : omitUndefined({ text, html });
  return { to, cc, bcc, subject: subjectOf(values.subject), ...content, ...(replyTo.length === 0 ? {} : { replyTo }) };
}
