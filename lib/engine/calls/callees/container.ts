import { servesAction } from '../../../compiler/plan/native-images.ts';
import type { ActionPlan } from '../../../compiler/plan/plan.ts';
import { isContainerCall, type Run } from '../../../domain/runs/runs.ts';
import { ContainerServiceError, openService, type ServicePlan } from '../../../domain/services/resolution.ts';
import { filesOf } from '../../containers/files.ts';
import { plainFailure } from '../../evaluation/failures.ts';
import type { RunnerPorts } from '../../ports.ts';
import { type Callee, idOfCall } from './callee.ts';
import { storeChild } from './children.ts';
import { evaluateInput } from './inputs.ts';
import { openImage } from './native.ts';
import { newCall } from './stored-call.ts';

/**
 * The callee of a function that is a container; its traffic is divided call by call. For a service of the namespace or of
 * the installation whose image Weft serves itself, it is a native function. Throws an uncatchable failure with a message
 * for the user when there is no such service, or no container can run.
 */
export async function openContainer(
  ports: RunnerPorts,
  caller: Run,
  plan: ServicePlan,
  action: ActionPlan,
): Promise<Callee> {
  const uncallable = (why: string) => plainFailure(`the function '${action.function}' cannot be called: ${why}`);
  const needContainers = async (): Promise<void> => {
    const problem = await ports.containers.problem();
    if (problem !== undefined) throw uncallable(problem);
  };
  const isOwn = plan.type === 'knative-workflow';
  // To open the service of a workflow creates it, which is of no use where no container can run.
  if (isOwn) await needContainers();
  const { namespaceId, namespace, workflowId, path, revision } = caller;
  const wanted = {
    namespace: { id: namespaceId, name: namespace },
    workflow: { id: workflowId, path, revision },
    name: action.function,
    plan,
  };
  const toFailure = (error: unknown): never => {
    throw error instanceof ContainerServiceError ? uncallable(error.message) : error;
  };
  const opened = await openService(ports, wanted).catch(toFailure);
  if (!isOwn) {
    const { native } = opened;
    const isNative = native !== undefined && caller.settings.avoidsNative !== true && servesAction(native, action);
    if (isNative) return openImage(native, action);
    await needContainers();
  }
  return {
    kind: 'container',
    action,
    takesLong: false,
    isNative: false,
    prepare: async (data, readSecrets) => ({
      files: await filesOf(action, data, readSecrets),
      input: await evaluateInput(action, data, readSecrets),
    }),
    newChild: async (given, call) => {
      const found = await opened.revisionFor(idOfCall(call)).catch(toFailure);
      return newCall(given, call, { kind: 'container', revision: found.id });
    },
    begin: ({ ports: given }, child) => storeChild(given, child),
    // The image may be another one by now.
    isOf: isContainerCall,
  };
}
