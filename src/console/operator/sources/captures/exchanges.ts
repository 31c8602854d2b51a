/**
 * The requests and answers of a capture, as text.
 *
 * @module
 */
import type { readCapture } from '../../../../health/captures/list.ts'
import { type Html, html } from '../../../../html.ts'
import { count } from '../../../components/parts.ts'

type Exchange = NonNullable<Awaited<ReturnType<typeof readCapture>>>['cassette']['exchanges'][number]

/** The most characters of all texts on a page. The download has all. */
const MOST = 90_000
/** The most headers that are shown of an answer. */
const MOST_HEADERS = 40

/** Each request with its answer, in their order. */
export function exchangeSections(exchanges: readonly Exchange[]): Html {
  const most = Math.floor(MOST / Math.max(1, exchanges.length))
  return html`${exchanges.map((exchange, i) => {
    const { request, sent, status = 200, headers = {} } = exchange
    const shown = Object.entries(headers).slice(0, MOST_HEADERS)
    return html`<section class="card exchange"><h3><code>${request.slice(0, 2000)}</code> <span class="badge ${status < 400 ? 'good' : 'bad'}">${status}</span></h3>
${sent !== undefined && block('Sent', textOf(sent), i, Math.floor(most / 4))}
${shown.length > 0 && block('Headers', shown.map(([name, value]) => `${name}: ${value}`).join('\n'), i, 4000)}
${block('Answer', bodyOf(exchange), i, most)}</section>`
  })}`
}

function block(label: string, text: string, n: number, most: number): Html {
  const part = text.slice(0, most)
  return html`<h4>${label}</h4>${
    text === ''
      ? html`<p class="hint">Empty.</p>`
      : html`<pre tabindex="0" aria-label="${label} ${n + 1}"><code>${part.toWellFormed()}</code></pre>${part.length < text.length && html`<p class="hint">The first ${count(part.length)} of ${count(text.length)} characters. The download has all.</p>`}`
  }`
}

function bodyOf({ json, body, base64 }: Exchange): string {
  if (json !== undefined) return JSON.stringify(json, null, 2)
  if (base64 !== undefined) return `(binary, ${count(Buffer.byteLength(base64, 'base64'))} bytes)`
  return typeof body === 'string' ? body : ''
}

const textOf = (value: unknown): string =>
  typeof value === 'string' ? value : JSON.stringify(value, null, 2)
