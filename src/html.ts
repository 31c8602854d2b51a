/**
 * HTML from templates: what is put in is escaped unless it is HTML itself.
 *
 * @module
 */

/** Text that is HTML already. */
export class Html {
  constructor(readonly text: string) {}
}

type Part = Html | string | number | false | undefined | readonly Part[]

/** A template whose values are escaped; lists are joined, `false` and `undefined` are nothing. */
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

/** One paragraph of plain words in which `code` may stand. */
export const words = (text: string): Html =>
  new Html(escaped(text).replaceAll(/`([^`]+)`/g, '<code>$1</code>'))

/** Paragraphs, parted by empty lines. */
export const paragraphs = (text: string): Html =>
  html`${text.split('\n\n').map((each) => html`<p>${words(each)}</p>`)}`

/**
 * Text to copy, with a button where scripts run.
 *
 * @param template of a call, with `{path}` and `{body}` to be filled in from a form by a script
 */
export const copyable = (text: string, label: string, template?: string): Html =>
  html`<copy-text><pre tabindex="0" aria-label="${label}"><code${template !== undefined && html` data-template="${template}"`}>${text}</code></pre></copy-text>`
