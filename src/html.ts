/**
 * HTML from templates. Interpolated values are escaped unless they are HTML already.
 *
 * @module
 */

/** Text that is HTML already. */
export class Html {
  constructor(readonly text: string) {}
}

type Part = Html | string | number | false | undefined | readonly Part[]

/** A template tag that escapes values. Lists are joined; `false` and `undefined` are omitted. */
export function html(strings: TemplateStringsArray, ...parts: readonly Part[]): Html {
  return new Html(strings.reduce((text, next, i) => text + rendered(parts[i - 1]) + next))
}

function rendered(part: Part): string {
  if (part === false || part === undefined) return ''
  if (part instanceof Html) return part.text
  if (typeof part === 'object') return part.map(rendered).join('')
  return escaped(String(part))
}

const escaped = (text: string): string => text.replaceAll(/[&<>"']/g, (char) => `&#${char.charCodeAt(0)};`)

/** Escapes plain text and renders `code` in backticks. */
export const words = (text: string): Html =>
  new Html(escaped(text).replaceAll(/`([^`]+)`/g, '<code>$1</code>'))

/** Splits text into paragraphs at empty lines. */
export const paragraphs = (text: string): Html =>
  html`${text.split('\n\n').map((each) => html`<p>${words(each)}</p>`)}`

/** Text to copy, with a copy button if scripts are enabled. */
export const copyable = (text: string, label: string): Html =>
  html`<copy-text><pre tabindex="0" aria-label="${label}"><code>${text}</code></pre></copy-text>`
