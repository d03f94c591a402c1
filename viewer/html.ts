/**
 * Markup that cannot be forgotten to be escaped: `html` escapes every value that is not markup itself. Commands, file
 * names and configuration values may hold anything.
 */
export interface Markup {
  readonly kind: 'markup';
  readonly text: string;
}

export type Content = Markup | string | number | null | readonly Content[];

export function html(strings: TemplateStringsArray, ...values: readonly Content[]): Markup {
  return markup(strings.reduce((text, part, i) => text + render(values[i - 1] ?? null) + part));
}

/** An element with attributes; null attributes are left out, numbers rounded to a tenth of a pixel. */
export function element(
  name: string,
  attributes: Readonly<Record<string, string | number | null>>,
  ...children: readonly Content[]
): Markup {
  const written = Object.entries(attributes).map(([key, value]) =>
    value === null
      ? ''
      : ` ${key}="${escape(typeof value === 'number' ? String(Math.round(value * 10) / 10) : value)}"`,
  );
  return markup(`<${name}${written.join('')}>${children.map(render).join('')}</${name}>`);
}

/** For text that is known to be markup: the style sheet. */
export function raw(text: string): Markup {
  return markup(text);
}

export function escape(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;');
}

function render(content: Content): string {
  if (content === null) return '';
  if (typeof content === 'string') return escape(content);
  if (typeof content === 'number') return String(content);
  if ('kind' in content) return content.text;
  return content.map(render).join('');
}

function markup(text: string): Markup {
  return { kind: 'markup', text };
}
