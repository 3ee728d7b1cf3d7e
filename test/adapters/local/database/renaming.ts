import type { Migration } from '../../../../lib/domain/migrations/migration.ts';

/** A step that gives an attribute another name, and tells of each item that it changes. */
export const renaming = (onChange: () => void = () => {}): Migration => ({
  changes: {
    journal: (item) => {
      if (item['before'] === undefined) return [item];
      onChange();
      const { before, ...rest } = item;
      return [{ ...rest, pk: item.pk, sk: item.sk, after: before }];
    },
  },
});
