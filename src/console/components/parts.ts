/**
 * What pages are made of: headings, tables, badges, times, empty states.
 *
 * @module
 */
import { type Html, html, Html as Raw } from '../../html.ts'

/** The heading of a page, with what can be done there. */
export const heading = (title: string, actions: Html | false = false, text?: string): Html =>
  html`<div class="heading"><div><h1>${title}</h1>${text && html`<p class="lead">${text}</p>`}</div>${actions}</div>`

export type Column = { readonly label: string; readonly number?: boolean }
export type TableRow = { readonly key: string; readonly cells: readonly (Html | string | number)[] }

/** A table; on a narrow screen each row is a block with the labels in it. */
export function table(
  label: string,
  columns: readonly (Column | string)[],
  rows: readonly TableRow[],
  live?: string,
): Html {
  const all = columns.map((column) => (typeof column === 'string' ? { label: column } : column))
  const cls = ({ number }: Column) => new Raw(number ? ' class="number"' : '')
  const head = all.map((column) => html`<th scope="col"${cls(column)}>${column.label}</th>`)
  const body = rows.map(
    ({ key, cells }) =>
      html`<tr id="row-${key}">${cells.map((cell, i) => html`<td data-label="${all[i]?.label ?? ''}"${cls(all[i] ?? { label: '' })}>${cell}</td>`)}</tr>`,
  )
  return html`<div class="scroll" tabindex="0" role="region" aria-label="${label}"><table${new Raw(live ? ` id="${live}" data-live-rows` : '')}><thead><tr>${head}</tr></thead><tbody>${body}</tbody></table></div>`
}

/** A time, in UTC; a script shows it as the browser's own. */
export const time = (iso: string | null): Html | string =>
  iso === null ? '–' : html`<time datetime="${iso}">${`${iso.slice(0, 10)} ${iso.slice(11, 19)}`} UTC</time>`

const KINDS: Readonly<Record<string, string>> = {
  succeeded: 'good',
  healthy: 'good',
  ready: 'good',
  active: 'good',
  enabled: 'good',
  delivered: 'good',
  running: 'busy',
  cancelling: 'busy',
  queued: 'busy',
  pending: 'busy',
  in_progress: 'busy',
  degraded: 'warn',
  failing: 'warn',
  disabled: 'bad',
  failed: 'bad',
  errored: 'bad',
  broken: 'bad',
  expired: 'bad',
  suspended: 'bad',
  revoked: 'bad',
}
/** A state in one word, with a colour that only repeats it. */
export const badge = (state: string): Html =>
  html`<span class="badge ${KINDS[state] ?? ''}">${state.replaceAll('_', ' ')}</span>`

/** Nothing is there yet: what to do next. */
export const empty = (text: string, next: Html | false = false): Html =>
  html`<div class="empty"><p>${text}</p>${next}</div>`

/**
 * Text to copy, with a button where scripts run.
 *
 * @param template of a call, with `{path}` and `{body}` to be filled in from a form by a script
 */
export const copyable = (text: string, label: string, template?: string): Html =>
  html`<copy-text><pre tabindex="0" aria-label="${label}"><code${template !== undefined && html` data-template="${template}"`}>${text}</code></pre></copy-text>`

/** The next page of a list. */
export const more = (path: string | null): Html | false =>
  path !== null && html`<p><a class="button quiet" href="${path}">Older</a></p>`

/** A number with its thousands. */
export const count = (value: number): string => value.toLocaleString('en-US')

/** Name and value, in two columns. */
export const facts = (pairs: readonly (readonly [string, Html | string | number])[]): Html =>
  html`<dl class="facts">${pairs.map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>`

/** A link to an address that somebody else wrote: only to the web, and telling nothing of where it stands. */
export function outside(url: string): Html | string {
  const isWeb = URL.canParse(url) && /^https?:$/.test(new URL(url).protocol)
  return isWeb ? html`<a href="${url}" rel="noopener noreferrer nofollow" target="_blank">${url}</a>` : url
}
