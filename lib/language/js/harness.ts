/**
 * JavaScript source that is evaluated inside the engine before the script. It calls the script with a copy of the data and
 * converts the result to JSON text by the rules of workflow-language 5.4. It returns `=` and the JSON text, or `!` and an
 * error message.
 */
export const HARNESS = String.raw`(() => {
  'use strict';
  const { parse, stringify } = JSON;
  const { isArray, from } = Array;
  const { keys, defineProperty } = Object;
  const { isFinite } = Number;
  const isView = ArrayBuffer.isView;
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
  const entriesOf = uncurried(Map.prototype.entries);
  const valuesOf = uncurried(Set.prototype.values);
  const kinds = { Date, Map, Set, String, Number, Boolean, Error };
  const deepest = 1000;

  const put = (target, key, value) => defineProperty(target, key, { value, enumerable: true, configurable: true, writable: true });
  const list = (values, depth) => {
    const out = [];
    for (let i = 0; i < values.length; i++) put(out, i, plain(values[i], depth));
    return out;
  };
  const scalar = (value) => {
    if (typeof value === 'number' && !isFinite(value)) throw new kinds.Error(Text(value) + ' cannot be stored');
    if (typeof value === 'bigint') throw new kinds.Error('a BigInt cannot be stored');
    return typeof value === 'symbol' || value === undefined ? null : value;
  };
  const instant = (date) => (isFinite(time(date)) ? replace(iso(date), /\.?0*Z$/, 'Z') : null);
  const plain = (value, depth) => {
    if (typeof value === 'function') return {};
    if (typeof value !== 'object' || value === null) return scalar(value);
    if (depth > deepest) throw new kinds.Error('the result is nested too deeply');
    if (isArray(value) || isView(value)) return list(value, depth + 1);
    if (value instanceof kinds.Date) return instant(value);
    if (value instanceof kinds.Set) return list(from(valuesOf(value)), depth + 1);
    if (value instanceof kinds.Map) return list(from(entriesOf(value)), depth + 1);
    if (value instanceof kinds.String) return Text(value);
    if (value instanceof kinds.Number) return scalar(+value);
    if (value instanceof kinds.Boolean) return value == true;
    const out = {};
    const names = keys(value);
    for (let i = 0; i < names.length; i++) put(out, names[i], plain(value[names[i]], depth + 1));
    return out;
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
      const result = fn(parse(text));
      if (result === undefined || result === null) return '=null';
      const out = stringify(plain(result, 0));
      return out.length > most ? '!the result is too large' : '=' + out;
    } catch (error) {
      return '!' + slice(describe(error), 0, 10000);
    }
  };
})()`;
