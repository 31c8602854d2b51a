/**
 * What pages are made of: headings, tables, badges, times, empty states.
 *
 * @module
 */
import { type Html, html, Html as Raw } from '../../html.ts'

/** The heading of a page, with what can be done there. */
export const heading = (title: string, actions: Html | false = false, text?: string): Html =>
  html`<div class="heading"><div><h1>${title}</h1>${text && html`<p class="lead">${text}</p>`}</div>${actions}</div>`

type Column = { readonly label: string; readonly number?: boolean }
export type TableRow = { readonly key: string; readonly cells: readonly (Html | string | number)[] }

/**
 * A table; on a narrow screen each row is a block with the labels in it.
 *
 * @param options.none what is shown in its place when there are no rows
 * @param options.live its id, where its rows are kept up to date by a script
 */
export function table(
  label: string,
  columns: readonly (Column | string)[],
  rows: readonly TableRow[],
  { none, live }: { readonly none?: Html; readonly live?: string } = {},
): Html {
  if (rows.length === 0 && none) return none
  const all = columns.map((column) => (typeof column === 'string' ? { label: column } : column))
  const cls = ({ number }: Column) => new Raw(number ? ' class="number"' : '')
  const head = all.map((column) => html`<th scope="col"${cls(column)}>${column.label}</th>`)
  const body = rows.map(
    ({ key, cells }) =>
      html`<tr id="row-${key}">${cells.map((cell, i) => html`<td data-label="${all[i]?.label ?? ''}"${cls(all[i] ?? { label: '' })}>${cell}</td>`)}</tr>`,
  )
  return html`<div class="scroll" tabindex="0" role="region" aria-label="${label}"><table${new Raw(live ? ` id="${live}" data-live-rows` : '')}><thead><tr>${head}</tr></thead><tbody>${body}</tbody></table></div>`
}

/**
 * A time, in UTC; a script shows it as the browser's own.
 *
 * @param at RFC 3339, or milliseconds since 1970
 * @param never what is shown in place of null
 */
export function time(at: string | number | null, never = '–'): Html | string {
  if (at === null) return never
  const iso = typeof at === 'number' ? new Date(at).toISOString() : at
  return html`<time datetime="${iso}">${`${iso.slice(0, 10)} ${iso.slice(11, 19)}`} UTC</time>`
}

const KINDS: Readonly<Record<string, readonly string[]>> = {
  good: ['succeeded', 'healthy', 'ready', 'active', 'enabled', 'delivered'],
  busy: ['running', 'cancelling', 'queued', 'pending', 'in_progress'],
  warn: ['degraded', 'failing'],
  bad: ['disabled', 'failed', 'errored', 'broken', 'expired', 'suspended', 'revoked'],
}
/** A state in one word, with a colour that only repeats it. */
export function badge(state: string): Html {
  const kind = Object.keys(KINDS).find((each) => KINDS[each]?.includes(state)) ?? ''
  return html`<span class="badge ${kind}">${state.replaceAll('_', ' ')}</span>`
}

/** What went wrong, or is wrong now; nothing where nothing is. */
export const alert = (text: Html | string | undefined): Html | undefined =>
  text === undefined ? undefined : html`<p class="error" role="alert">${text}</p>`

/** What a form has made, shown this once. */
export const made = (title: string, content: Html): Html =>
  html`<section class="card made" role="status"><h2>${title}</h2>${content}</section>`

/** Nothing is there yet: what to do next. */
export const empty = (text: string, next: Html | false = false): Html =>
  html`<div class="card empty"><p>${text}</p>${next}</div>`

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
