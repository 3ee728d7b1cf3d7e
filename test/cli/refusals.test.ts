import { describe, expect, test } from 'vitest';
import { plainRefusal } from '../../bin/cli/client/refusals.ts';
import { explanationText } from '../../bin/cli/inspection/event-explanation.ts';
import { counted, inMilliseconds, sizeText } from '../../bin/cli/shell/command.ts';
import { barText, onceForEach, openProgress } from '../../bin/cli/shell/progress.ts';

const DEMO = '/api/namespaces/demo';

describe('a refusal of the service', () => {
  test.each([
    [DEMO, 'namespace not found', "no namespace 'demo'; 'weft namespaces list' lists them"],
    [DEMO, 'resource already exists', "there is a namespace 'demo' already"],
    [`${DEMO}/instances/nosuch?op=x`, 'invalid UUID length: 6', "no run 'nosuch' in 'demo'"],
    [`${DEMO}/instances/1/logs`, 'instance not found', "no run '1' in 'demo'"],
    [`${DEMO}/tree/a/b%20c?op=tags`, "inode not found at '/a/b c'", "no workflow 'a/b c' in 'demo'"],
    [
      `${DEMO}/tree/a?ref=v9`,
      'ref not found',
      "no revision or tag 'v9' of the workflow 'a'; 'weft workflows history a' lists them",
    ],
    [
      `${DEMO}/tree/a?op=delete-revision&ref=v1`,
      'not a revision',
      "'v1' is no saved revision of the workflow 'a'; 'weft workflows untag' removes a tag",
    ],
    [`${DEMO}/tree/a.yaml`, "inode not found at '/a.yaml'", "no workflow 'a.yaml' in 'demo'; did you mean 'a'?"],
    [`${DEMO}/tree/a?op=execute`, 'not a workflow', "'a' is a directory; 'weft workflows list a' lists its workflows"],
    [`${DEMO}/vars/v`, 'var_ref not found', "no variable 'v' in 'demo'"],
    [`${DEMO}/tree/a?op=var&var=v`, 'var_ref not found', "no variable 'v' of the workflow 'a'"],
    [`${DEMO}/instances/1/vars/v`, 'var_ref not found', "no variable 'v' of the run 1"],
    [`${DEMO}/secrets/a/b`, "secret 'a/b' not found", "no secret 'a/b' in 'demo'"],
    [`${DEMO}/events/e/explain`, 'cloud_events not found', "no event 'e' in 'demo'"],
    ['/prod/api/keys/k', 'key not found', "no key 'k'; 'weft keys list' lists them"],
  ])('of %s: %s is in plain words', (path, message, text) => {
    expect(plainRefusal(path, message)).toBe(text);
  });

  test('that is about something else stays as it is', () => {
    expect(plainRefusal(`${DEMO}/tree/a`, 'the service is busy')).toBeUndefined();
    expect(plainRefusal('/api/version', 'instance not found')).toBeUndefined();
  });
});

describe('texts', () => {
  test('have a singular and a plural, sizes and milliseconds', () => {
    expect([counted(1, 'run'), counted(2, 'run'), counted(0, 'directory', 'directories')]).toEqual([
      '1 run',
      '2 runs',
      '0 directories',
    ]);
    expect([0, 999, 1500, 245_760, 3e12].map(sizeText)).toEqual(['0 B', '999 B', '1.5 kB', '246 kB', '3.0 TB']);
    expect(inMilliseconds('2026-01-31T08:00:00.123456Z')).toBe('2026-01-31T08:00:00.123Z');
    expect(inMilliseconds('2026-01-31T08:00:00Z')).toBe('2026-01-31T08:00:00Z');
  });

  test('of an event say what it did to each listener', () => {
    const event = { id: 'e', type: 't', source: 's', receivedAt: '2026-01-31T08:00:00.123Z' };
    const head = "event e of type 't' from 's', received 2026-01-31T08:00:00.123Z";
    expect(explanationText({ event, routed: true, listeners: [] })).toBe(
      `${head}\nnothing listens for the type 't'; 'weft events listeners' lists what is listened for`,
    );
    const listeners = [
      { listener: 'start 1', workflow: '/a', matches: true, did: 'started', started: 'r' },
      { listener: 'wait 2', workflow: '/b', matches: true, did: 'taken' },
      { listener: 'start 3', workflow: '/c', did: 'nothing', failed: { attribute: 'shop', expected: 'x*' } },
      { listener: 'start 4', workflow: '/d', matches: true, did: 'nothing: the workflow is disabled' },
    ];
    expect(explanationText({ event, routed: false, listeners }).split('\n')).toEqual([
      head,
      'its delivery is not complete yet',
      '4 listeners of this type:',
      '  /a: started run r',
      '  /b, run 2: the waiting run took it and went on',
      '  /c: does not match: shop is absent, wanted "x*"',
      '  /d: nothing: the workflow is disabled',
    ]);
  });
});

describe('progress', () => {
  test('is a bar, or a count where the total is not known', () => {
    expect(barText('push', 1, 2)).toBe('push  [############------------]  1/2');
    expect(barText('export', 3)).toBe('export  3');
  });

  test('draws nothing without a terminal, nor in the first second', () => {
    const drawn: string[] = [];
    for (const terminal of [{}, { drawStatus: (line: string) => void drawn.push(line) }]) {
      const progress = openProgress(terminal, 'push', 2);
      progress.step();
      progress.end();
    }
    expect(drawn).toEqual([]);
  });

  test('counts a part once, however often it is announced', () => {
    const seen: object[] = [];
    const step = onceForEach<object>((part) => seen.push(part));
    const part = {};
    for (const one of [part, {}, part]) step(one);
    expect(seen).toHaveLength(2);
  });
});
