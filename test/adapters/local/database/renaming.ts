import type { Migration } from '../../../../lib/domain/migrations/migration.ts';

/** A migration that renames an attribute, and calls the function for each changed item. */
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
