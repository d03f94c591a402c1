/** The parts that sections are made of: tables, figures with the numbers behind them, section heads. */
import { html, type Content, type Markup } from '../html.ts';

export interface TableSpec {
  readonly head: readonly string[];
  readonly rows: readonly (readonly Content[])[];
  readonly caption?: string;
  /** Rows to stress, and rows to mark as changed. */
  readonly strong?: (row: number) => boolean;
  readonly changed?: (row: number) => boolean;
  /** Columns of running text: left aligned. */
  readonly text?: readonly number[];
}

export function table({ head, rows, caption, strong, changed, text = [] }: TableSpec): Markup {
  const alignment = (column: number): Content => (text.includes(column) ? html` class="text"` : null);
  return html`<div class="scroll">
    <table>
      ${
        caption === undefined
          ? null
          : html`<caption>
              ${caption}
            </caption>`
      }
      <thead>
        <tr>
          ${head.map((name, i) => html`<th scope="col" ${alignment(i)}>${name}</th>`)}
        </tr>
      </thead>
      <tbody>
        ${rows.map(
          (row, r) =>
            html`<tr class="${strong?.(r) ? 'strong' : changed?.(r) ? 'changed' : ''}">
              ${row.map((cell, i) =>
                i === 0 ? html`<th scope="row" ${alignment(i)}>${cell}</th>` : html`<td${alignment(i)}>${cell}</td>`,
              )}
            </tr>`,
        )}
      </tbody>
    </table>
  </div>`;
}

export interface FigureSpec {
  readonly title: string;
  readonly chart: Markup;
  readonly note?: string;
  /** The same numbers as text. */
  readonly data?: TableSpec;
  readonly wide?: boolean;
}

export function figure({ title, chart, note, data, wide = false }: FigureSpec): Markup {
  return html`<figure class="${wide ? 'wide' : ''}">
    ${title === '' ? null : html`<h3>${title}</h3>`} ${chart}
    ${note === undefined ? null : html`<figcaption>${note}</figcaption>`}
    ${
      data === undefined
        ? null
        : html`<details>
            <summary>Numbers</summary>
            ${table(data)}
          </details>`
    }
  </figure>`;
}

export interface Section {
  readonly id: string;
  readonly title: string;
  readonly body: Markup;
}

export function section(id: string, title: string, lead: Content, ...body: readonly Content[]): Section {
  return {
    id,
    title,
    body: html`<section id="${id}">
      <h2>${title}</h2>
      <p class="lead">${lead}</p>
      ${body}
    </section>`,
  };
}
