import type { RouterReply, Workflow } from '../../../../clients/api/operations.ts';
import type { Loaded } from '../../../data/api/live.ts';
import type { Draft } from '../../../data/workflow/drafts.ts';

/** The properties of every view of a workflow. */
export interface TabProps {
  readonly namespace: string;
  readonly workflow: Workflow;
  readonly draft: Draft;
  readonly router: Loaded<RouterReply>;
}
