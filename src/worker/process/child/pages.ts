/**
 * A page of a run, in the child process: each call is sent to the service, which knows which run the page belongs to.
 *
 * @module
 */
import { type PageCall, remotePage, resultOf } from '../../../browser/host/page-calls.ts'
import type { SavedCookie } from '../../../net/cookies.ts'
import type { Release } from '../../../net/rate-limiter.ts'
import type { BrowserPage, PageOptions, Source } from '../../../plugin.ts'
import { type Calls, newId } from './calls.ts'

export type PageDeps = {
  readonly source: Pick<Source, 'origin'>
  readonly calls: Calls
  /** see {@link import('../../../net/http-client.ts').HttpClientOptions}: opening a URL is a request to its host */
  readonly acquire: (host: string, signal: AbortSignal) => Promise<Release>
  /** cookies of the login that the run's requests changed: pages start with them */
  readonly cookies: () => readonly SavedCookie[]
  readonly signal: AbortSignal
}

/** See {@link import('../../../plugin.ts').Context.page}. */
export async function openPage(deps: PageDeps, options: PageOptions = {}): Promise<BrowserPage> {
  const { source, calls, acquire, cookies, signal } = deps
  const page = newId()
  const send = async (call: PageCall) =>
    resultOf((await calls.call('paged', { type: 'page', id: newId(), page, call }, signal)).answer)
  await send({ method: 'open', options, cookies: cookies() })
  const remote = remotePage(send)
  return {
    ...remote,
    goto: async (url, options) => {
      const release = await acquire(new URL(url, source.origin).hostname, signal)
      try {
        return await remote.goto(url, options)
      } finally {
        release(0)
      }
    },
  }
}
