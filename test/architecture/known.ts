import type { RuleName } from './rules.ts';

/**
 * Violations that are known since 2026-11-22 and wait for their repair. An entry that is no violation any longer fails
 * the test: delete it with the repair. Nothing is added here.
 */
export const KNOWN: Readonly<Partial<Record<RuleName, readonly string[]>>> = {
  'a function has at most 50 lines': ['bin/server/local-ports.ts openPorts'],
  'a class has at most 200 lines': ['lib/adapters/local/interpreter/run/interpreter.ts Interpreter'],
  'a folder has at most 15 files': ['lib/adapters/aws/containers', 'lib/containers/sidecar'],
  'no file name begins with the name of its folder': ['lib/adapters/local/concurrency/concurrency-gate.ts'],
  'the name of an error class ends in Error': [
    'lib/adapters/aws/containers/calls.ts Failure',
    'lib/adapters/aws/containers/line.ts Lost',
    'lib/adapters/aws/containers/work.ts Outdated',
    'lib/adapters/local/interpreter/context/failure.ts StateFailure',
    'lib/adapters/local/interpreter/program/program.ts InvalidDefinition',
    'lib/containers/oci/connection.ts Passing',
    'lib/containers/oci/registry.ts Refused',
    'lib/containers/oci/unsupported-image.ts Unfit',
    'lib/containers/session/archives.ts Refusal',
    'lib/containers/sidecar/storage.ts Refusal',
  ],
  'no two classes have one name': ['Refusal', 'QueryError'],
  'an exported function or class has a doc comment': [
    'bin/cli/client/replies.ts textsAt',
    'bin/cli/shell/command.ts good',
    'bin/cli/shell/command.ts toJson',
    'bin/cli/transfer/layout.ts workflowFile',
    'bin/cli/transfer/plan.ts isToDo',
    'bin/cli/transfer/remote.ts hashOf',
    'bin/cli/transfer/remote.ts pathOf',
    'bin/cli/transfer/remote.ts isWorkflow',
    'cdk/functions/node-streams.ts pipeline',
    'lib/adapters/aws/containers/layer-records.ts keepLayer',
    'lib/adapters/local/interpreter/context/branch-group.ts newFamily',
    'lib/adapters/local/interpreter/run/decision.ts isActive',
    'lib/adapters/portable/web.ts guardOf',
    'lib/api/http/reply.ts redirect',
    'lib/containers/oci/image-names.ts hostOf',
    'lib/containers/oci/login.ts basic',
    'lib/containers/oci/registry.ts digestOf',
    'lib/containers/sidecar/letters.ts framesIn',
  ],
  'a function has at most four positional parameters': [
    'cdk/data/upgrade.ts Upgrade.constructor',
    'cdk/operations/upkeep.ts Upkeep.constructor',
    'cdk/service-stack.ts ServiceStack.constructor',
    'lib/adapters/aws/containers/calls.ts converse',
    'lib/adapters/local/interpreter/program/check.ts checkState',
    'lib/api/lambda.ts streamOf',
    'lib/containers/oci/registry.ts Repository.constructor',
    'lib/containers/sidecar/files.ts placeEntry',
    'lib/containers/sidecar/lambda-call.ts LambdaCall.constructor',
  ],
};

/** Violations that stay, each with its reason. */
export const EXCEPTIONS: Readonly<Partial<Record<RuleName, Readonly<Record<string, string>>>>> = {};
