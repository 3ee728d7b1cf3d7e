/**
 * Rooms with the same permitted imports. A room is a file, or a folder with its subfolders except those that are rooms
 * of their own. It may import itself, the rooms in `on`, and the rooms that these may import.
 */
export interface Layer {
  readonly rooms: readonly string[];
  /** Rooms of layers further up in the list, so that no two rooms depend on each other. */
  readonly on: readonly string[];
}

/** The layers, lowest first (docs/decisions/039). The rooms of one layer do not import each other. */
export const LAYERS: readonly Layer[] = [
  { rooms: ['lib/language', 'lib/time', 'lib/ports', 'lib/containers/sidecar', 'lib/egress/addresses.ts'], on: [] },
  { rooms: ['clients', 'bin/console', 'bin/licenses', 'test', 'web/site'], on: [] },
  { rooms: ['bin/site'], on: ['bin/console', 'web/site'] },
  { rooms: ['lib/language/sandbox'], on: ['lib/language'] },
  { rooms: ['lib/events'], on: ['lib/language', 'lib/time'] },
  { rooms: ['lib/compiler/plan'], on: ['lib/time'] },
  { rooms: ['lib/compiler/emit'], on: ['lib/compiler/plan', 'lib/language'] },
  { rooms: ['lib/compiler'], on: ['lib/compiler/emit', 'lib/language'] },
  { rooms: ['lib/lint', 'lib/testing', 'lib/pricing'], on: ['lib/compiler'] },
  { rooms: ['lib/authoring'], on: ['lib/lint', 'lib/testing'] },

  { rooms: ['lib/egress'], on: ['lib/egress/addresses.ts', 'lib/language', 'lib/ports'] },
  { rooms: ['lib/containers'], on: ['lib/containers/sidecar', 'lib/egress'] },
  { rooms: ['lib/adapters/portable'], on: ['lib/egress'] },
  { rooms: ['lib/adapters/aws/measures.ts', 'lib/adapters/aws/table'], on: ['lib/adapters/portable'] },
  {
    rooms: ['lib/adapters/aws'],
    on: ['lib/adapters/aws/measures.ts', 'lib/adapters/aws/table', 'lib/containers', 'lib/time'],
  },
  {
    rooms: ['lib/adapters/local'],
    on: ['lib/adapters/portable', 'lib/compiler/emit', 'lib/containers', 'lib/language/sandbox'],
  },
  { rooms: ['lib/adapters/local/endpoint'], on: ['lib/adapters/aws/table'] },
  { rooms: ['lib/adapters/local/texts'], on: ['lib/language/sandbox', 'lib/lint', 'lib/ports', 'lib/pricing'] },

  { rooms: ['lib/domain'], on: ['lib/compiler', 'lib/egress/addresses.ts', 'lib/events', 'lib/ports'] },
  { rooms: ['lib/api/registry'], on: ['lib/domain'] },
  { rooms: ['lib/api'], on: ['lib/api/registry'] },
  { rooms: ['lib/engine/ports.ts'], on: ['lib/ports'] },
  { rooms: ['lib/engine/evaluation'], on: ['lib/domain', 'lib/engine/ports.ts', 'lib/language/sandbox'] },
  { rooms: ['lib/engine/run', 'lib/engine/limits', 'lib/engine/machines'], on: ['lib/engine/evaluation'] },
  { rooms: ['lib/engine/delivery'], on: ['lib/engine/run', 'lib/engine/machines'] },
  { rooms: ['lib/engine/events', 'lib/engine/admission'], on: ['lib/engine/delivery', 'lib/engine/limits'] },
  {
    rooms: [
      'lib/engine/approvals',
      'lib/engine/changes',
      'lib/engine/variables',
      'lib/engine/workers',
      'lib/engine/http',
    ],
    on: ['lib/engine/events'],
  },
  { rooms: ['lib/engine/lambdas', 'lib/engine/mails'], on: ['lib/engine/http'] },
  { rooms: ['lib/engine/native'], on: ['lib/engine/lambdas', 'lib/engine/mails'] },
  { rooms: ['lib/engine/containers'], on: ['lib/engine/changes', 'lib/engine/variables'] },
  {
    rooms: ['lib/engine/calls'],
    on: [
      'lib/engine/admission',
      'lib/engine/containers',
      'lib/engine/native',
      'lib/engine/limits',
      'lib/engine/workers',
    ],
  },
  { rooms: ['lib/engine/step'], on: ['lib/engine/approvals', 'lib/engine/calls'] },
  {
    rooms: ['lib/engine/routing', 'lib/engine/recovery', 'lib/engine/tasks', 'lib/engine/inspection'],
    on: ['lib/engine/step'],
  },
  { rooms: ['lib/engine/requests'], on: ['lib/engine/recovery'] },

  {
    rooms: ['functions/http'],
    on: [
      'lib/api',
      'lib/authoring',
      'lib/engine/inspection',
      'lib/engine/requests',
      'lib/engine/routing',
      'lib/pricing',
    ],
  },
  {
    rooms: ['functions/triggers', 'functions/deploy'],
    on: [
      'lib/adapters/aws',
      'lib/api',
      'lib/engine/recovery',
      'lib/engine/requests',
      'lib/engine/routing',
      'lib/engine/tasks',
    ],
  },
  { rooms: ['functions/lambdas'], on: ['functions/http', 'lib/adapters/aws'] },
  { rooms: ['functions/lambdas/console.ts'], on: ['lib/api'] },
  { rooms: ['cdk'], on: ['lib/adapters/portable', 'lib/api/registry'] },
  {
    rooms: ['bin/server'],
    on: [
      'bin/console',
      'bin/site',
      'functions/http',
      'functions/lambdas/console.ts',
      'lib/engine/tasks',
      'lib/adapters/local',
      'lib/adapters/local/endpoint',
      'lib/adapters/local/texts',
    ],
  },
  { rooms: ['bin/cli'], on: ['bin/server', 'lib/adapters/aws/measures.ts', 'lib/testing'] },
  { rooms: ['bench'], on: ['bin/server', 'test'] },
  { rooms: ['bin/functions'], on: ['bin/console', 'bin/licenses', 'cdk'] },
  { rooms: ['bin'], on: ['bin/cli', 'bin/functions', 'bin/licenses', 'bin/site', 'test'] },
];
