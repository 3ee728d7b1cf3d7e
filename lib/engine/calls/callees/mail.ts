import type { MailFunctionPlan } from '../../../compiler/plan/mails.ts';
import type { ActionPlan } from '../../../compiler/plan/plan.ts';
import type { Run } from '../../../domain/runs/runs.ts';
import { wantedFiles } from '../../containers/files.ts';
import { composeMail } from '../../mails/composing.ts';
import type { RunnerPorts } from '../../ports.ts';
import type { Callee } from './callee.ts';
import { nativeCallee } from './native.ts';

/** The callee of a mail function. */
export const openMail = (
  ports: RunnerPorts,
  { namespace }: Pick<Run, 'namespace'>,
  plan: MailFunctionPlan,
  action: ActionPlan,
): Callee =>
  nativeCallee({
    kind: 'mail',
    function: 'mail',
    action,
    takesLong: true,
    prepare: async (data, readSecrets) => {
      const { mail, attachments } = await composeMail({ ports, namespace, plan, action }, data, readSecrets);
      // Their fields are evaluated already, and may hold a secret.
      const files = await wantedFiles(attachments, { evaluateField: async (value) => value, shown: () => '***' });
      return { input: Buffer.from(JSON.stringify(mail)), files, ms: mail.ms };
    },
  });
