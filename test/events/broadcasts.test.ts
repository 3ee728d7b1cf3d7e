import { describe, expect, test } from 'vitest';
import {
  type BroadcastFacts,
  type BroadcastKind,
  broadcastEvent,
  instanceLogEvent,
} from '../../lib/events/broadcasts.ts';
import { needEvent, toData, toText } from '../../lib/events/cloud-event.ts';

const workflow = { path: '/a/wf.yaml', live: true };
const ofWorkflow = { Name: 'wf.yaml', Path: '/a/wf.yaml', Parent: '/a/', Live: true };
const variable = { key: 'k', size: 5 };
const ofVariable = { WorkflowPath: '', InstanceID: '', Key: 'k', TotalSize: 5 };
const instance = { workflowPath: '/a/wf.yaml', instanceId: 'i-1' };
const ofInstance = { WorkflowPath: '/a/wf.yaml', InstanceID: 'i-1', Caller: '' };
const inWorkflow = { ...ofVariable, WorkflowPath: '/a/wf.yaml', Scope: 'workflow' };
const inInstance = { ...ofVariable, InstanceID: 'i-1', Scope: 'instance' };

const CASES: { readonly [Kind in BroadcastKind]: readonly [BroadcastFacts[Kind], object] } = {
  'workflow.create': [workflow, ofWorkflow],
  'workflow.update': [
    { ...workflow, live: false },
    { ...ofWorkflow, Live: false },
  ],
  'workflow.delete': [{ path: '/a/wf.yaml' }, { ...ofWorkflow, Live: false }],
  'directory.create': [{ path: '/a/b' }, { Path: '/a/b', Parent: '/a/' }],
  'directory.delete': [{ path: '/b' }, { Path: '/b', Parent: '/' }],
  'namespace.variable.create': [variable, { ...ofVariable, Scope: 'namespace' }],
  'namespace.variable.update': [variable, { ...ofVariable, Scope: 'namespace' }],
  'namespace.variable.delete': [variable, { ...ofVariable, Scope: 'namespace' }],
  'workflow.variable.create': [{ ...variable, workflowPath: '/a/wf.yaml' }, inWorkflow],
  'workflow.variable.update': [{ ...variable, workflowPath: '/a/wf.yaml' }, inWorkflow],
  'workflow.variable.delete': [{ ...variable, workflowPath: '/a/wf.yaml' }, inWorkflow],
  'instance.variable.create': [{ ...variable, instanceId: 'i-1' }, inInstance],
  'instance.variable.update': [{ ...variable, instanceId: 'i-1' }, inInstance],
  'instance.variable.delete': [{ ...variable, instanceId: 'i-1' }, inInstance],
  'instance.started': [
    { ...instance, caller: 'api' },
    { ...ofInstance, Caller: 'api' },
  ],
  'instance.success': [instance, ofInstance],
  'instance.failed': [instance, ofInstance],
  'instance.late': [instance, ofInstance],
};

describe('a broadcast event', () => {
  test('has seventeen kinds, and one that the original does not know', () => {
    expect(Object.keys(CASES)).toHaveLength(18);
  });

  test.each(Object.entries(CASES))('%s', (kind, [facts, data]) => {
    const event = broadcastEvent(kind as 'workflow.create', facts as BroadcastFacts['workflow.create'], {
      id: 'e-1',
      source: 'service',
    });
    expect(event).toEqual({
      specversion: '0.3',
      id: 'e-1',
      source: 'service',
      type: kind,
      datacontenttype: 'application/json',
      data,
    });
  });

  test('the event about a log line has the logger as an extension', () => {
    const log = { id: 'e-1', workflowId: 'w-1', text: '{\n  "a": 1\n}', logger: 'mine', brand: 'service' };
    expect(instanceLogEvent(log)).toEqual({
      specversion: '1.0',
      id: 'e-1',
      source: 'w-1',
      type: 'service.instanceLog',
      datacontenttype: 'application/json',
      data: '{\n  "a": 1\n}',
      logger: 'mine',
    });
  });
});

describe('a CloudEvent', () => {
  const event = { type: 't', source: '/s', specversion: '1.0', id: 'e-1', data: { b: 1, a: [] } };

  test('has the same text for every order of its members', () => {
    expect(toText(event)).toBe('{"data":{"a":[],"b":1},"id":"e-1","source":"/s","specversion":"1.0","type":"t"}');
  });

  test('is parsed from its text', () => {
    expect(needEvent(JSON.parse(toText(event)))).toEqual(event);
  });

  test.each([
    undefined,
    null,
    [],
    'x',
    {},
    { ...event, id: '' },
    { ...event, type: 1 },
    { ...event, source: undefined },
  ])('is not a value such as %j', (value) => {
    expect(() => needEvent(value)).toThrow(TypeError);
  });

  test('is copied unchanged into the data of a run', () => {
    const data = toData(event);
    expect(data).toEqual(event);
    data['id'] = 'other';
    expect(event.id).toBe('e-1');
  });
});
