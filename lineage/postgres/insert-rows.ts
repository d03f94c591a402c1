/** Many rows in one statement: a column is an array, `unnest` turns them into rows (as fast as COPY up to thousands). */
import type { Queryable } from './connection.ts';

/** Column -> SQL type of one value. */
export type Columns = Readonly<Record<string, string>>;
export type Row<C extends Columns> = { readonly [K in keyof C]: unknown };

const BATCH = 2_000;

export async function insertRows<C extends Columns>(
  client: Queryable,
  table: string,
  columns: C,
  rows: readonly Row<C>[],
  suffix = '',
): Promise<void> {
  const names = Object.keys(columns) as (keyof C & string)[];
  // An array of arrays would be unnested to its end: a column of arrays travels as text and is cast per row.
  const arrays = names.map((name, i) => {
    const type = columns[name] as string;
    return `$${i + 1}::${type.endsWith('[]') ? 'text' : type}[]`;
  });
  const values = names.map((name, i) =>
    (columns[name] as string).endsWith('[]') ? `c${i}::${columns[name]}` : `c${i}`,
  );
  const aliases = names.map((_, i) => `c${i}`).join(', ');
  const text =
    `insert into rsi.${table} (${names.join(', ')}) ` +
    `select ${values.join(', ')} from unnest(${arrays.join(', ')}) as u(${aliases}) ${suffix}`;
  for (let from = 0; from < rows.length; from += BATCH) {
    const batch = rows.slice(from, from + BATCH);
    await client.query(
      text,
      names.map((name) => batch.map((row) => row[name])),
    );
  }
}

/** A list as the literal of an array column. */
export function numbersLiteral(values: readonly number[]): string {
  return `{${values.join(',')}}`;
}

export function textsLiteral(values: readonly string[]): string {
  return `{${values.map((value) => `"${value.replaceAll(/["\\]/g, '\\$&')}"`).join(',')}}`;
}
