/**
 * JavaScript source that is evaluated inside the engine before the script. It calls the script with a copy of the data,
 * whose marked numbers (`markNumbers`) are BigInts, and converts the result to JSON text by the rules of workflow-language
 * 5.4. It returns `=` and the JSON text, or `!` and an error message.
 */
export const HARNESS = String.raw`(() => {
  'use strict';
  const { parse, stringify } = JSON;
  const { isArray, from } = Array;
  const { keys } = Object;
  const { isFinite } = Number;
  const isView = ArrayBuffer.isView;
  const Big = BigInt;
  const Text = String;
  const call = Function.prototype.call;
  const uncurried = (method) => call.bind(method);
  const iso = uncurried(Date.prototype.toISOString);
  const time = uncurried(Date.prototype.getTime);
  const replace = uncurried(String.prototype.replace);
  const slice = uncurried(String.prototype.slice);
  const indexOf = uncurried(String.prototype.indexOf);
  const split = uncurried(String.prototype.split);
  const trim = uncurried(String.prototype.trim);
  const push = uncurried(Array.prototype.push);
  const join = uncurried(Array.prototype.join);
  const entriesOf = uncurried(Map.prototype.entries);
  const valuesOf = uncurried(Set.prototype.values);
  const kinds = { Date, Map, Set, String, Number, Boolean, Error };
  const deepest = 1000;

  const revive = (_, value) => (isArray(value) && value[0] === Infinity ? Big(value[1]) : value);
  const scalar = (value) => {
    if (typeof value === 'number' && !isFinite(value)) throw new kinds.Error(Text(value) + ' cannot be stored');
    if (typeof value === 'bigint') return Text(value);
    return typeof value === 'symbol' || value === undefined ? 'null' : stringify(value);
  };
  const instant = (date) => scalar(isFinite(time(date)) ? replace(iso(date), /\.?0*Z$/, 'Z') : null);
  const list = (out, values, depth) => {
    push(out, '[');
    for (let i = 0; i < values.length; i++) {
      if (i > 0) push(out, ',');
      write(out, values[i], depth);
    }
    push(out, ']');
  };
  const object = (out, value, depth) => {
    const names = keys(value);
    push(out, '{');
    for (let i = 0; i < names.length; i++) {
      push(out, (i > 0 ? ',' : '') + stringify(names[i]) + ':');
      write(out, value[names[i]], depth);
    }
    push(out, '}');
  };
  const write = (out, value, depth) => {
    if (typeof value === 'function') return push(out, '{}');
    if (typeof value !== 'object' || value === null) return push(out, scalar(value));
    if (depth > deepest) throw new kinds.Error('the result is nested too deeply');
    if (isArray(value) || isView(value)) return list(out, value, depth + 1);
    if (value instanceof kinds.Date) return push(out, instant(value));
    if (value instanceof kinds.Set) return list(out, from(valuesOf(value)), depth + 1);
    if (value instanceof kinds.Map) return list(out, from(entriesOf(value)), depth + 1);
    if (value instanceof kinds.String) return push(out, scalar(Text(value)));
    if (value instanceof kinds.Number) return push(out, scalar(+value));
    if (value instanceof kinds.Boolean) return push(out, scalar(value == true));
    object(out, value, depth + 1);
  };
  const where = (error) => {
    const line = typeof error.stack === 'string' ? trim(split(error.stack, '\n')[0]) : '';
    return indexOf(line, '<eval>') >= 0 ? ' ' + line : '';
  };
  const describe = (error) => {
    try {
      return Text(error) + (error instanceof kinds.Error ? where(error) : '');
    } catch {
      return 'an error without a text';
    }
  };

  return (fn, text, most) => {
    try {
      const result = fn(indexOf(text, '[1e999,') >= 0 ? parse(text, revive) : parse(text));
      if (result === undefined || result === null) return '=null';
      const parts = [];
      write(parts, result, 0);
      const out = join(parts, '');
      return out.length > most ? '!the result is too large' : '=' + out;
    } catch (error) {
      return '!' + slice(describe(error), 0, 10000);
    }
  };
})()`;
