/**
 * A page of a run, in the child process: each call is sent to the service, which knows which run the page belongs to.
 *
 * @module
 */
import { type ArrivedJson, type PageCall, remotePage, resultOf } from '../../../browser/host/page-calls.ts'
import type { SavedCookie } from '../../../net/cookies.ts'
import type { Release } from '../../../net/rate-limiter.ts'
import { withQuery } from '../../../plugin/reading/urls.ts'
import type { BrowserPage, PageOptions, Source } from '../../../plugin.ts'
import type { CompleteAnswer } from '../../../recording/ring.ts'
import { type Calls, newId } from './calls.ts'

export type PageDeps = {
  readonly source: Pick<Source, 'origin'>
  readonly calls: Calls
  /** see {@link import('../../../net/http-client.ts').HttpClientOptions}: opening a URL is a request to its host */
  readonly acquire: (host: string, signal: AbortSignal) => Promise<Release>
  /** takes note of how a page's opening of a URL ends, and returns it */
  readonly watchExit: <T>(exchange: Promise<T>) => Promise<T>
  /** cookies of the login that the run's requests changed: pages start with them */
  readonly cookies: () => readonly SavedCookie[]
  /** called with what the plugin reads of a page */
  readonly onRead?: ((answer: CompleteAnswer) => void) | undefined
  readonly signal: AbortSignal
}

/** See {@link import('../../../plugin.ts').Context.page}. */
export async function openPage(deps: PageDeps, options: PageOptions = {}): Promise<BrowserPage> {
  const { source, calls, acquire, watchExit, cookies, onRead, signal } = deps
  const page = newId()
  /** where its document came from */
  let address = source.origin
  const send = async (call: PageCall) => {
    const { answer } = await calls.call('paged', { type: 'page', id: newId(), page, call }, signal)
    const value = resultOf(answer)
    if (call.method === 'html') onRead?.(documentAt(address, value as string))
    if (call.method === 'next' && value !== null) onRead?.(answerOf(value as ArrivedJson))
    if (call.method === 'evaluate' && typeof value === 'string') readBy(call.args[0], value, address, onRead)
    return value
  }
  await send({ method: 'open', options, cookies: cookies() })
  const remote = remotePage(send)
  return {
    ...remote,
    goto: async (url, options) => {
      const target = new URL(url, source.origin)
      const release = await acquire(target.hostname, signal)
      try {
        address = withQuery(target, options?.query).href
        return await watchExit(remote.goto(url, options))
      } finally {
        release(0)
      }
    },
  }
}

/** Keeps the scripts of a document from running again: they have run already. Expressions of the plugin may fetch. */
const INERT = `<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; connect-src *">`

/** A document as the plugin read it, as the answer to the request that opened its page. */
const documentAt = (url: string, html: string): CompleteAnswer => ({
  method: 'GET',
  url,
  status: 200,
  headers: new Headers({ 'content-type': 'text/html; charset=utf-8' }),
  body: Buffer.from(html.replace(/<head\b[^>]*>/i, (head) => head + INERT)),
  replaces: true,
})

function answerOf({ method = 'GET', url, status, headers, body }: ArrivedJson): CompleteAnswer {
  const bytes = typeof body === 'string' ? Buffer.from(body, 'base64') : Buffer.alloc(0)
  return { method, url, status, headers: new Headers(headers as [string, string][]), body: bytes }
}

/** Some plugins fetch from inside of a page, where the site's script signs the request. */
const FETCHES = /\bfetch\(\s*["'`](?<url>[^"'`]+)["'`](?!.*\bmethod\b)/s

/** Reports the text that an expression has fetched, if it is one that fetches. */
function readBy(expression: string, text: string, base: string, onRead: PageDeps['onRead']): void {
  const url = FETCHES.exec(expression)?.groups?.url
  if (url === undefined || !URL.canParse(url, base)) return
  const type = /^\s*[[{]/.test(text) ? 'application/json' : 'text/plain; charset=utf-8'
  const headers = new Headers({ 'content-type': type })
  onRead?.({ method: 'GET', url: new URL(url, base).href, status: 200, headers, body: Buffer.from(text) })
}
