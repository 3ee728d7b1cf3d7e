import type { Mail, MailServer } from '../../ports/callees/web.ts';

/** A mail of a workflow with all its values, as JSON; stored, sealed, for a call that is made later. */
export interface PreparedMail {
  readonly server: MailServer;
  /** Its attachments are the files of the call. */
  readonly mail: Omit<Mail, 'id' | 'attachments'>;
  /** The mailbox of the sender. */
  readonly sender: string;
  /** The time for the call, milliseconds. */
  readonly ms: number;
  /** The secrets that the mail may contain, which no message shows. */
  readonly secrets: readonly string[];
}
