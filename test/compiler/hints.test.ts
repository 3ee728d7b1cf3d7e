import { describe, expect, test } from 'vitest';
import { hintsOf, problemsOf } from './texts.ts';

const STATES = 'states: [{id: a, type: noop}]';
const HOOK = 'start: {type: webhook, verify: ';

describe('a state that a field of the workflow names and that does not exist', () => {
  test.each([
    ['cancelOn: {type: t, transition: undo}', "1:33 workflow 'cancelOn' transition 'undo' does not exist"],
    [
      'catch: [{error: x, transition: a}, {error: y, transition: undo}]',
      "1:59 workflow 'catch[1]' transition 'undo' does not exist",
    ],
    ['onFailure: undo', "1:12 workflow 'onFailure' transition 'undo' does not exist"],
    ['finally: undo', "1:10 workflow 'finally' transition 'undo' does not exist"],
  ])('is reported with the name of the field: %s', (yaml, problem) => {
    expect(problemsOf(`${yaml}\n${STATES}`)).toEqual([problem]);
  });
});

describe('a field in a wrong form', () => {
  test.each([
    ['catch: undo', "for example catch: [{error: 'http.*', transition: failed}], with the id of the next state"],
    ['onFailure: {transition: undo}', 'for example onFailure: undo, the id of a state'],
    ['finally: [undo]', 'for example finally: release, the id of a state'],
    ['cancelOn: stop', 'for example cancelOn: {type: order.cancelled, context: {order: jq(.order)}}'],
    [`${HOOK}{hmac: KEY}}`, 'for example hmac: {secret: HOOK_SECRET, header: X-Signature}, with the name of a secret'],
    [
      "start: {type: scheduled, cron: '@daily', missed: often}",
      "for example missed: latest, in {type: scheduled, cron: '0 2 * * *', missed: latest}",
    ],
    ["start: {type: scheduled, cron: '@daily', missed: latets}", "did you mean 'latest'?"],
  ])('has a hint with an example: %s', (yaml, hint) => {
    expect(hintsOf(`${yaml}\n${STATES}`)).toEqual([hint]);
  });

  test('has a hint where the catch of a state is no list', () => {
    expect(hintsOf('states: [{id: a, type: noop, catch: b}]')[0]).toContain("[{error: 'http.*', transition: failed}]");
  });

  test('has a hint that the next states of an approval are in its choices', () => {
    const yaml = 'states: [{id: a, type: approval, subject: s, choices: {ok: null}, transition: a}]';
    expect(hintsOf(yaml)).toEqual([
      "the next states are in 'choices', for example choices: {approve: pay, refuse: stop}",
    ]);
  });
});
