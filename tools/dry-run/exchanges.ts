/**
 * The requests and answers of a dry run.
 *
 * @module
 */
import type { ExchangeObserver, ObservedRequest, Observer } from '../../src/net/transport/observer.ts'

/** A request and its answer. */
export type ObservedExchange = Omit<ObservedRequest, 'body'> & {
  /** null when there was no answer */
  readonly status: number | null
  readonly headers: Headers
  /** decoded size of the body, as far as it was read */
  readonly bytes: number
  /** the answer's body, up to the bytes to be kept */
  readonly body: Uint8Array
  /** from the request to the end of the body, in milliseconds */
  readonly ms: number
  /** the request's body */
  readonly sent: ObservedRequest['body']
}

export type ExchangeLogOptions = {
  /** How many bytes of a body are kept, by its headers; default none. */
  readonly keep?: (headers: Headers) => number
  /** called when an exchange is complete */
  readonly onExchange: (exchanged: ObservedExchange) => void
}

/** Collects exchanges in the order in which they began. */
export class ExchangeLog {
  private readonly begun: Exchange[] = []

  constructor(private readonly options: ExchangeLogOptions) {}

  readonly observer: Observer = (request) => {
    const exchange = new Exchange(request, this.options)
    this.begun.push(exchange)
    return exchange.observer
  }

  /** All exchanges; those still in progress are closed as they are. */
  end(): readonly ObservedExchange[] {
    return this.begun.map((exchange) => exchange.end())
  }
}

class Exchange {
  readonly observer: ExchangeObserver
  private readonly since = performance.now()
  private readonly chunks: Uint8Array[] = []
  private status: number | null = null
  private headers = new Headers()
  private bytes = 0
  private room = 0
  private whole: ObservedExchange | undefined

  constructor(
    private readonly request: ObservedRequest,
    private readonly options: ExchangeLogOptions,
  ) {
    this.observer = {
      answered: (status, headers) => {
        this.status = status
        this.headers = headers
        this.room = options.keep?.(headers) ?? 0
      },
      read: (chunk) => this.read(chunk),
      ended: (ms) => void this.end(ms),
    }
  }

  end(ms = performance.now() - this.since): ObservedExchange {
    if (this.whole) return this.whole
    const { status, headers, bytes } = this
    const { method, url, body: sent } = this.request
    const body = Buffer.concat(this.chunks)
    this.whole = { method, url, sent, status, headers, bytes, body, ms }
    this.options.onExchange(this.whole)
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
