/**
 * The requests and answers of a run.
 *
 * @module
 */
import { clock } from '../async/clock.ts'
import type { ObservedRequest, Observer } from '../net/transport/observer.ts'

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

/** The exchanges of a run, in the order in which they began. */
export type ExchangeLog = {
  readonly observer: Observer
  /** Returns all exchanges. Exchanges in progress are ended as they are. */
  end(): readonly ObservedExchange[]
}

/** Begins to collect exchanges. */
export function openExchangeLog({ keep, onExchange }: ExchangeLogOptions): ExchangeLog {
  const ends: (() => ObservedExchange)[] = []
  const observer: Observer = ({ method, url, body: sent }) => {
    const since = clock.monotonic()
    const chunks: Uint8Array[] = []
    let status: number | null = null
    let headers = new Headers()
    let bytes = 0
    let room = 0
    let whole: ObservedExchange | undefined
    const end = (ms = clock.monotonic() - since): ObservedExchange => {
      if (whole) return whole
      whole = { method, url, sent, status, headers, bytes, body: Buffer.concat(chunks), ms }
      onExchange(whole)
      return whole
    }
    ends.push(end)
    return {
      answered(answered, its) {
        status = answered
        headers = its
        room = keep?.(its) ?? 0
      },
      read(chunk) {
        bytes += chunk.length
        if (room <= 0) return
        const kept = chunk.slice(0, room)
        room -= kept.length
        chunks.push(kept)
      },
      ended: (ms) => void end(ms),
    }
  }
  return { observer, end: () => ends.map((end) => end()) }
}
