import type { Route } from '../route.ts';

const APPROVAL = '/namespaces/{namespace}/approvals/{instance}';

/** Decisions with a key; links decide without one, see `hooks`. */
export const approvals = {
  listApprovals: {
    family: 'instances',
    method: 'GET',
    path: '/namespaces/{namespace}/approvals',
    query: ['workflow', 'assignee'],
    reply: 'approvals',
    permission: 'read',
    unversioned: true,
    from: 'weft',
    about: 'Lists up to 1,000 open approvals, the oldest first.',
  },
  getApproval: {
    family: 'instances',
    method: 'GET',
    path: APPROVAL,
    reply: 'approval',
    permission: 'read',
    unversioned: true,
    from: 'weft',
    about: 'Returns the open approval of a run with its choices and its form.',
  },
  decideApproval: {
    family: 'instances',
    method: 'POST',
    path: APPROVAL,
    body: 'json',
    input: 'decision',
    audited: ['choice', 'by'],
    reply: 'decision',
    permission: 'run',
    unversioned: true,
    from: 'weft',
    about: 'Decides the open approval of a run, as its link does: the first decision counts.',
  },
} as const satisfies Record<string, Route>;
