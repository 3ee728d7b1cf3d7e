import type { EndpointsOf } from '../../../lib/api/http/endpoints.ts';
import type { approvals as routes } from '../../../lib/api/registry/routes/approvals.ts';
import { ServiceError } from '../../../lib/domain/errors.ts';
import * as instances from '../../../lib/domain/instances/instances.ts';
import * as namespaces from '../../../lib/domain/namespaces/namespaces.ts';
import { askedOf, type Open, openOf } from '../../../lib/engine/approvals/decisions.ts';
import { listOpen, toRecord } from '../../../lib/engine/approvals/open-approvals.ts';
import type { EnginePorts } from '../../../lib/engine/ports.ts';
import { decide } from '../../../lib/engine/requests/deciding.ts';

const over = (instance: string): ServiceError =>
  new ServiceError(
    'not-found',
    `the run '${instance}' waits for no decision: it was decided, its time is over, or it has no approval`,
  );

async function needOpen(
  ports: EnginePorts,
  { namespace, instance }: { readonly namespace: string; readonly instance: string },
): Promise<Open> {
  const open = await openOf(ports, await instances.need(ports, namespace, instance, 'outline'));
  if (open === undefined) throw over(instance);
  return open;
}

const namesOf = ({ work }: Open): string[] => work.choices.map(({ name }) => name);

function unknownChoice(open: Open, choice: string): ServiceError {
  return new ServiceError('malformed', `the approval has no choice '${choice}'; it has ${namesOf(open).join(', ')}`);
}

export const decisions: EndpointsOf<keyof typeof routes> = {
  listApprovals: async (ports, { path, query }) => {
    const namespace = await namespaces.need(ports, path.namespace);
    const filter = { workflow: query['workflow']?.[0] ?? '', assignee: query['assignee']?.[0] ?? '' };
    return { namespace: namespace.name, approvals: await listOpen(ports, namespace, filter) };
  },
  getApproval: async (ports, { path }) => {
    const open = await needOpen(ports, path);
    const record = toRecord(open.run);
    if (record === undefined) throw over(path.instance);
    const form = open.work.form === undefined ? {} : { form: open.work.form };
    return { namespace: open.run.namespace, approval: { ...record, choices: namesOf(open), ...form } };
  },
  decideApproval: async (ports, { path, input, caller, address }) => {
    const open = await needOpen(ports, path);
    const asked = askedOf(open, input.choice);
    if (asked === undefined) throw unknownChoice(open, input.choice);
    // A key may decide for a person; a token is of one.
    const by = caller.grants === undefined ? input.by.trim() || caller.name : caller.name;
    const outcome = await decide(ports, asked, { form: input.form, by, from: address });
    if (outcome.kind === 'gone') throw over(path.instance);
    if (outcome.kind === 'invalid') {
      const { violations } = outcome;
      throw new ServiceError('malformed', `form: ${violations.join('; ')}`, { violations });
    }
    if (outcome.kind === 'earlier') {
      const { choice, by: first } = outcome.decision;
      throw new ServiceError('conflict', `it was decided before: '${choice}' by ${first}`, { choice });
    }
    return { namespace: open.run.namespace, instance: open.run.id, choice: asked.choice, by };
  },
};
