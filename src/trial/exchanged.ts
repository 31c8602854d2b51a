/**
 * What went over the network while a task ran.
 *
 * @module
 */
import type { Asked, Heard, Witness } from '../worker/door/witness.ts'

/** One request and what came of it. */
export type Exchanged = Omit<Asked, 'body'> & {
  /** null: there was no answer */
  readonly status: number | null
  readonly headers: Headers
  /** size of the body, decoded, as far as it was read */
  readonly bytes: number
  /** the answer's body, as much of it as was to be kept */
  readonly body: Uint8Array
  /** from the request to the end of the body, in milliseconds */
  readonly ms: number
  /** the request's body */
  readonly sent: Asked['body']
}

export type ExchangesOptions = {
  /** How many bytes of a body are kept, by its headers; default none. */
  readonly keep?: (headers: Headers) => number
  /** hears of each exchange that is over */
  readonly tell: (exchanged: Exchanged) => void
}

/** Puts exchanges together, in the order in which they began. */
export class Exchanges {
  private readonly begun: Exchange[] = []

  constructor(private readonly options: ExchangesOptions) {}

  readonly witness: Witness = (asked) => {
    const exchange = new Exchange(asked, this.options)
    this.begun.push(exchange)
    return exchange.heard
  }

  /** All of them; those that are still under way are over now. */
  end(): readonly Exchanged[] {
    return this.begun.map((exchange) => exchange.end())
  }
}

class Exchange {
  readonly heard: Heard
  private readonly since = performance.now()
  private readonly chunks: Uint8Array[] = []
  private status: number | null = null
  private headers = new Headers()
  private bytes = 0
  private room = 0
  private whole: Exchanged | undefined

  constructor(
    private readonly asked: Asked,
    private readonly options: ExchangesOptions,
  ) {
    this.heard = {
      answered: (status, headers) => {
        this.status = status
        this.headers = headers
        this.room = options.keep?.(headers) ?? 0
      },
      read: (chunk) => this.read(chunk),
      over: (ms) => void this.end(ms),
    }
  }

  end(ms = performance.now() - this.since): Exchanged {
    if (this.whole) return this.whole
    const { status, headers, bytes } = this
    const { method, url, body: sent } = this.asked
    const body = Buffer.concat(this.chunks)
    this.whole = { method, url, sent, status, headers, bytes, body, ms }
    this.options.tell(this.whole)
    return this.whole
  }

  private read(chunk: Uint8Array): void {
    this.bytes += chunk.length
    if (this.room <= 0) return
    const kept = chunk.slice(0, this.room)
    this.room -= kept.length
    this.chunks.push(kept)
  }
}
