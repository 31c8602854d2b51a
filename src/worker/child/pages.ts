/**
 * The page of a run, in the child process: each call of it goes to the service, which knows whose it is.
 *
 * @module
 */
import { errorOf, type PageAnswer, type PageCall, remotePage } from '../../browser/calls.ts'
import type { BrowserPage, PageOptions, Source } from '../../plugin.ts'
import type { SavedCookie } from '../door/cookies.ts'
import type { Over } from '../door/door.ts'
import type { FromChild } from '../protocol.ts'

export type PagesOptions = {
  readonly source: Pick<Source, 'origin'>
  /** see {@link import('../door/door.ts').DoorOptions}: opening an address is a request to its host */
  readonly permit: (host: string, signal: AbortSignal) => Promise<Over>
  /** what the run's requests made of its login's cookies: pages begin with them */
  readonly cookies: () => readonly SavedCookie[]
  readonly signal: AbortSignal
  readonly send: (message: FromChild) => void
}

/** Of all runs of this process: a late answer to one must not be taken for one to the next. */
let last = 0

export class Pages {
  private readonly waiting = new Map<number, (answer: PageAnswer) => void>()
  private page = 0

  constructor(private readonly options: PagesOptions) {}

  receive({ id, answer }: { readonly id: number; readonly answer: PageAnswer }): void {
    this.waiting.get(id)?.(answer)
  }

  /** See {@link import('../../plugin.ts').Context.page}. */
  async open(options: PageOptions = {}): Promise<BrowserPage> {
    const { source, permit, cookies, signal } = this.options
    const page = ++this.page
    await this.call(page, { method: 'open', options, cookies: cookies() })
    const remote = remotePage((call) => this.call(page, call))
    return {
      ...remote,
      goto: async (url, options) => {
        const over = await permit(new URL(url, source.origin).hostname, signal)
        try {
          return await remote.goto(url, options)
        } finally {
          over(0)
        }
      },
    }
  }

  private call(page: number, call: PageCall): Promise<unknown> {
    const { signal, send } = this.options
    const id = ++last
    return new Promise((go, fail) => {
      const stop = () => {
        this.waiting.delete(id)
        fail(signal.reason)
      }
      if (signal.aborted) return stop()
      signal.addEventListener('abort', stop, { once: true })
      this.waiting.set(id, (answer) => {
        this.waiting.delete(id)
        signal.removeEventListener('abort', stop)
        if ('fault' in answer) fail(errorOf(answer.fault))
        else go(answer.value)
      })
      send({ type: 'page', id, page, call })
    })
  }
}
