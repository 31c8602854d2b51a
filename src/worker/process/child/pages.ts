/**
 * The page of a run, in the child process: each call of it goes to the service, which knows whose it is.
 *
 * @module
 */
import { type PageAnswer, type PageCall, remotePage, resultOf } from '../../../browser/host/page-calls.ts'
import type { SavedCookie } from '../../../net/cookies.ts'
import type { Release } from '../../../net/http-client.ts'
import type { BrowserPage, PageOptions, Source } from '../../../plugin.ts'
import type { FromChild } from '../protocol.ts'
import { Calls, newId } from './calls.ts'

export type PagesOptions = {
  readonly source: Pick<Source, 'origin'>
  /** see {@link import('../../../net/http-client.ts').HttpClientOptions}: opening an address is a request to its host */
  readonly acquire: (host: string, signal: AbortSignal) => Promise<Release>
  /** what the run's requests made of its login's cookies: pages begin with them */
  readonly cookies: () => readonly SavedCookie[]
  readonly signal: AbortSignal
  readonly send: (message: FromChild) => void
}

export class Pages {
  private readonly calls = new Calls<PageAnswer>()

  constructor(private readonly options: PagesOptions) {}

  receive({ id, answer }: { readonly id: number; readonly answer: PageAnswer }): void {
    this.calls.answer(id, answer)
  }

  /** See {@link import('../../../plugin.ts').Context.page}. */
  async open(options: PageOptions = {}): Promise<BrowserPage> {
    const { source, acquire, cookies, signal } = this.options
    const page = newId()
    await this.call(page, { method: 'open', options, cookies: cookies() })
    const remote = remotePage((call) => this.call(page, call))
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

  private async call(page: number, call: PageCall): Promise<unknown> {
    const { signal, send } = this.options
    return resultOf(await this.calls.call(signal, (id) => send({ type: 'page', id, page, call })))
  }
}
