/**
 * Components of pages: tables, badges, times, empty states.
 *
 * @module
 */
import { type Html, html, words } from '../../html.ts'

type Column = { readonly label: string; readonly number?: boolean }
/** The cells of a row. */
export type Row = readonly (Html | string | number)[]

/**
 * A table. On a narrow screen, each row is a block that contains the labels.
 *
 * @param options.none shown instead of an empty table
 * @param options.live the ids of its rows, if a script keeps them up to date
 */
export function table(
  label: string,
  columns: readonly (Column | string)[],
  rows: readonly Row[],
  { none, live }: { readonly none?: Html; readonly live?: readonly string[] } = {},
): Html {
  if (rows.length === 0 && none) return none
  const all = columns.map((column) => (typeof column === 'string' ? { label: column } : column))
  const cls = (column?: Column) => column?.number && html` class="number"`
  const head = all.map((column) => html`<th scope="col"${cls(column)}>${column.label}</th>`)
  const body = rows.map(
    (cells, n) =>
      html`<tr${live && html` id="row-${live[n]}"`}>${cells.map((cell, i) => html`<td data-label="${all[i]?.label ?? ''}"${cls(all[i])}>${cell}</td>`)}</tr>`,
  )
  return html`<div class="scroll" tabindex="0" role="region" aria-label="${label}"><table><thead><tr>${head}</tr></thead><tbody>${body}</tbody></table></div>`
}

/**
 * A time in UTC. A script shows it in the browser's time zone.
 *
 * @param at RFC 3339, or milliseconds since 1970
 * @param never shown instead of null
 */
export function time(at: string | number | null, never = '–'): Html | string {
  if (at === null) return never
  const iso = typeof at === 'number' ? new Date(at).toISOString() : at
  return html`<time datetime="${iso}">${`${iso.slice(0, 10)} ${iso.slice(11, 19)}`} UTC</time>`
}

const KINDS: Readonly<Record<string, readonly string[]>> = {
  good: ['succeeded', 'healthy', 'ready', 'signed_in', 'active', 'enabled', 'delivered'],
  busy: ['running', 'cancelling', 'queued', 'pending', 'in_progress'],
  warn: ['degraded', 'drifting', 'failing', 'retrying'],
  bad: ['disabled', 'failed', 'errored', 'broken', 'expired', 'suspended', 'revoked'],
}
/** A state in one word. Its colour adds no information. */
export function badge(state: string): Html {
  const kind = Object.keys(KINDS).find((each) => KINDS[each]?.includes(state)) ?? ''
  return html`<span class="badge ${kind}">${state.replaceAll('_', ' ')}</span>`
}

/** An error or a warning; undefined without a text. */
export const alert = (text: Html | string | undefined): Html | undefined =>
  text === undefined
    ? undefined
    : html`<p class="error" role="alert">${typeof text === 'string' ? words(text) : text}</p>`

/** The result of a form, shown only once. */
export const resultCard = (title: string, content: Html, isBad = false): Html =>
  html`<section class="card made${isBad && ' bad'}" role="status"><h2>${title}</h2>${content}</section>`

/** An empty state, with the next step. */
export const empty = (text: Html | string, next: Html | false = false): Html =>
  html`<div class="card empty"><p>${text}</p>${next}</div>`

/** A link to the next page of a list. */
export const more = (path: string | null): Html | false =>
  path !== null && html`<p><a class="button quiet" href="${path}">Older</a></p>`

/** A number with thousands separators. */
export const count = (value: number): string => value.toLocaleString('en-US')

/** A number with its noun, such as `1 credit` or `2,000 credits`. */
export const counted = (value: number, noun: string): string =>
  `${count(value)} ${noun}${value === 1 ? '' : 's'}`

/** Names and values, in two columns. */
export const facts = (pairs: readonly (readonly [string, Html | string | number])[]): Html =>
  html`<dl class="card facts">${pairs.map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>`

/** A link to an untrusted URL: only http and https, and without a referrer. @param label default: the URL */
export function outside(url: string, label: Html | string = url): Html | string {
  const isWeb = URL.canParse(url) && /^https?:$/.test(new URL(url).protocol)
  return isWeb ? html`<a href="${url}" rel="noopener noreferrer nofollow" target="_blank">${label}</a>` : url
}
