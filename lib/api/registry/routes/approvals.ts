import type { Route } from '../route.ts';

const APPROVAL = '/namespaces/{namespace}/approvals/{instance}';

/**
 * Decisions with a key. They belong to the family of the links, which decide without a key: the function of this family
 * has the sandbox, in which a schema checks the form.
 */
export const approvals = {
  listApprovals: {
    family: 'hooks',
    method: 'GET',
    path: '/namespaces/{namespace}/approvals',
    query: ['workflow', 'assignee'],
    reply: 'approvals',
    permission: 'read',
    unversioned: true,
    from: 'weft',
  },
  getApproval: {
    family: 'hooks',
    method: 'GET',
    path: APPROVAL,
    reply: 'approval',
    permission: 'read',
    unversioned: true,
    from: 'weft',
  },
  decideApproval: {
    family: 'hooks',
    method: 'POST',
    path: APPROVAL,
    body: 'json',
    input: 'decision',
    audited: ['choice', 'by'],
    reply: 'decision',
    permission: 'run',
    unversioned: true,
    from: 'weft',
  },
} as const satisfies Record<string, Route>;
