import type { EventBridgeEvent } from 'aws-lambda';
import { enginePorts } from '../lib/adapters/aws/deployed.ts';
import { route } from '../lib/engine/router.ts';
import type { Message } from '../lib/ports.ts';

/** What the bus calls for each recorded event. An error makes it call again. */
export const handler = ({ detail }: EventBridgeEvent<string, Message>): Promise<void> => route(enginePorts(), detail);
