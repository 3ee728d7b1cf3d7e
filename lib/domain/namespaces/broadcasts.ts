/** The keys of a namespace's broadcast settings (specification, Namespace config body). */
export const BROADCASTS = [
  'directory.create',
  'directory.delete',
  'instance.failed',
  'instance.started',
  'instance.success',
  'instance.variable.create',
  'instance.variable.delete',
  'instance.variable.update',
  'namespace.variable.create',
  'namespace.variable.delete',
  'namespace.variable.update',
  'workflow.create',
  'workflow.delete',
  'workflow.update',
  'workflow.variable.create',
  'workflow.variable.delete',
  'workflow.variable.update',
] as const;

export type Broadcast = (typeof BROADCASTS)[number];
