/**
 * The last answers that each run of this process got. They are kept as they arrive, without a copy, and cost memory only:
 * what is made of them is made when a run ends badly. Memory is needed for runs first, so all runs together keep no more
 * than a budget, and the oldest answers of all are given up first.
 *
 * @module
 */
import type { Observer } from '../net/transport/observer.ts'
import type { ObservedExchange } from './exchange-log.ts'

/** How many answers of a run are kept. Redirects between them do not count. */
const MOST_ANSWERS = 3
/** The kept part of a body, in bytes. */
const MOST_BODY = 1024 * 1024
/** Bytes that the answers of all runs may take. */
const BUDGET = 16 * 1024 * 1024
/** Answers that no parser reads are not kept: a run that downloads them would lose those that show the change. */
const MEDIA = /^(?:image|audio|video|font)\/(?!svg)/
/** Approximate bytes of an answer beside its bodies. */
const OVERHEAD = 2048

/** An answer that is kept, or is still being read. */
class Kept {
  status = 0
  headers: Headers | undefined
  /** of the whole body, as far as it was read */
  bytes = 0
  /** bytes in `chunks` and of the request's body */
  size = OVERHEAD
  private chunks: Uint8Array[] = []
  private room = MOST_BODY

  constructor(
    readonly method: string,
    readonly url: string,
    private sent: ObservedExchange['sent'],
  ) {
    this.size += sent?.length ?? 0
  }

  get isRedirect(): boolean {
    return this.status >= 300 && this.status < 400
  }

  add(chunk: Uint8Array): void {
    this.bytes += chunk.length
    if (this.room === 0) return
    // A part would keep the whole buffer in memory: of a large chunk, or that of a connection for a small one.
    const isWhole = chunk.length <= this.room && chunk.buffer.byteLength <= 2 * chunk.length
    const part = isWhole ? chunk : new Uint8Array(chunk.subarray(0, this.room))
    this.room -= part.length
    this.size += part.length
    this.chunks.push(part)
  }

  /** Its run may still know it. */
  release(): void {
    this.chunks = []
    this.sent = undefined
  }

  get exchange(): ObservedExchange {
    const { method, url, sent, status, headers = new Headers(), bytes, chunks } = this
    return { method, url, sent, status, headers, bytes, body: Buffer.concat(chunks), ms: 0 }
  }
}

/** The answers that all runs of a process keep. */
export class Rings {
  /** oldest first */
  private readonly kept = new Set<Kept>()
  private size = 0
  private isClosed = false

  /** @param budget bytes of all answers */
  constructor(private readonly budget = BUDGET) {}

  /** The bytes that are kept now. */
  get bytes(): number {
    return this.size
  }

  /** The answers of a new run. */
  open(): Ring {
    return new Ring(this)
  }

  /** Memory is short: gives up all answers, and keeps no more from now on. */
  close(): void {
    this.isClosed = true
    for (const one of this.kept) this.drop(one)
  }

  /** For {@link Ring}. */
  keep(one: Kept): void {
    if (this.isClosed) return
    this.kept.add(one)
    this.grow(one.size)
  }

  /** For {@link Ring}. */
  read(one: Kept, chunk: Uint8Array): void {
    if (!this.kept.has(one)) return
    const before = one.size
    one.add(chunk)
    this.grow(one.size - before)
  }

  /** For {@link Ring}. */
  drop(one: Kept): void {
    if (!this.kept.delete(one)) return
    this.size -= one.size
    one.release()
  }

  /** For {@link Ring}. */
  has(one: Kept): boolean {
    return this.kept.has(one)
  }

  private grow(bytes: number): void {
    this.size += bytes
    for (const oldest of this.kept) {
      if (this.size <= this.budget) return
      this.drop(oldest)
    }
  }
}

/** The last answers of one run. */
export class Ring {
  /** how many answers the run has got */
  answers = 0
  private latest: Kept[] = []

  constructor(private readonly rings: Rings) {}

  /** Keeps the answers of a client. */
  readonly observer: Observer = ({ method, url, body }) => {
    const one = new Kept(method, url, body === undefined || body.length > MOST_BODY ? undefined : body)
    return {
      answered: (status, headers) => {
        one.status = status
        one.headers = headers
        if (!MEDIA.test(headers.get('content-type') ?? '')) this.keep(one)
      },
      read: (chunk) => this.rings.read(one, chunk),
      ended() {},
    }
  }

  /** Keeps an answer that is complete. */
  add({ method, url, status, headers, body, replaces = false }: CompleteAnswer): void {
    const one = new Kept(method, url, undefined)
    one.status = status
    one.headers = headers
    const former = replaces && this.latest.find((other) => other.method === method && other.url === url)
    if (former) {
      this.forget(former)
      this.answers--
    }
    this.keep(one)
    this.rings.read(one, body)
  }

  /** Those that are kept, in the order of their arrival. */
  exchanges(): ObservedExchange[] {
    return this.latest.filter((one) => this.rings.has(one)).map(({ exchange }) => exchange)
  }

  /** The run has ended: gives up its answers. */
  close(): void {
    for (const one of this.latest) this.rings.drop(one)
    this.latest = []
  }

  private keep(one: Kept): void {
    this.latest.push(one)
    this.rings.keep(one)
    if (one.isRedirect) return
    if (++this.answers <= MOST_ANSWERS) return
    const counted = this.latest.filter(({ isRedirect }) => !isRedirect)
    if (counted.length <= MOST_ANSWERS) return
    const first = this.latest.indexOf(counted[1]!)
    for (const old of this.latest.slice(0, first)) this.forget(old)
  }

  private forget(one: Kept): void {
    this.latest = this.latest.filter((other) => other !== one)
    this.rings.drop(one)
  }
}

export type CompleteAnswer = Pick<ObservedExchange, 'method' | 'url' | 'headers' | 'body'> & {
  readonly status: number
  /** a document that is read again: its former state is given up. Default false */
  readonly replaces?: boolean
}
