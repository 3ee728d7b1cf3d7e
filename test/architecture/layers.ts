/**
 * Rooms that stand on the same rooms. A room is a folder, with all folders in it that are no rooms of their own, or a
 * file. It imports itself, the rooms in `on`, and whatever these may import.
 */
export interface Layer {
  readonly rooms: readonly string[];
  /** Rooms of layers further up in the list, so that no two rooms depend on each other. */
  readonly on: readonly string[];
}

/** The layers, lowest first (docs/decisions/038). The rooms of one layer do not import each other. */
export const LAYERS: readonly Layer[] = [
  { rooms: ['lib/language', 'lib/time', 'lib/ports', 'lib/containers/sidecar', 'lib/egress/addresses.ts'], on: [] },
  { rooms: ['clients', 'bin/console', 'bin/licenses', 'test'], on: [] },
  { rooms: ['lib/language/sandbox'], on: ['lib/language'] },
  { rooms: ['lib/events'], on: ['lib/language', 'lib/time'] },
  { rooms: ['lib/compiler/plan'], on: ['lib/time'] },
  { rooms: ['lib/compiler/emit'], on: ['lib/compiler/plan'] },
  { rooms: ['lib/compiler'], on: ['lib/compiler/emit', 'lib/language'] },
  { rooms: ['lib/lint', 'lib/testing', 'lib/pricing'], on: ['lib/compiler'] },
  { rooms: ['lib/authoring'], on: ['lib/lint'] },

  { rooms: ['lib/egress'], on: ['lib/egress/addresses.ts', 'lib/ports'] },
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

  { rooms: ['lib/domain'], on: ['lib/compiler', 'lib/egress/addresses.ts', 'lib/events', 'lib/ports'] },
  { rooms: ['lib/api/registry'], on: ['lib/domain'] },
  { rooms: ['lib/api'], on: ['lib/api/registry'] },
  // The layers of the engine. Until it has some, its folders are in one room, and their circle is in known.ts.
  { rooms: ['lib/engine'], on: ['lib/domain', 'lib/language/sandbox'] },

  { rooms: ['functions/http'], on: ['lib/api', 'lib/authoring', 'lib/engine', 'lib/pricing'] },
  { rooms: ['functions/triggers', 'functions/deploy'], on: ['lib/adapters/aws', 'lib/api', 'lib/engine'] },
  { rooms: ['functions/lambdas'], on: ['functions/http', 'lib/adapters/aws'] },
  { rooms: ['functions/lambdas/console.ts'], on: ['lib/api'] },
  { rooms: ['cdk'], on: ['lib/adapters/portable', 'lib/api/registry'] },
  {
    rooms: ['bin/server'],
    on: [
      'bin/console',
      'functions/http',
      'functions/lambdas/console.ts',
      'lib/adapters/local',
      'lib/adapters/local/endpoint',
    ],
  },
  { rooms: ['bin/cli'], on: ['bin/server', 'lib/adapters/aws/measures.ts', 'lib/testing'] },
  { rooms: ['bench'], on: ['bin/server', 'test'] },
  { rooms: ['bin'], on: ['bin/cli', 'bin/licenses', 'cdk', 'test'] },
];
