/**
 * The last answers that each run of this process got. They are kept as they arrive, without a copy, and cost memory only:
 * what is made of them is made when a run ends badly. Memory is needed for runs first, so all runs together keep no more
 * than a budget, and the oldest answers of all are given up first.
 *
 * @module
 */
import type { Observer } from '../net/transport/observer.ts'
import type { ObservedExchange } from './exchange-log.ts'
import { KeptAnswer, MOST_BODY } from './kept-answer.ts'

/** How many answers of a run are kept. Redirects between them do not count. */
const MOST_ANSWERS = 3
/** Bytes that the answers of all runs may take. */
const BUDGET = 16 * 1024 * 1024
/** Answers that no parser reads are not kept: a run that downloads them would lose those that show the change. */
const MEDIA = /^(?:image|audio|video|font)\/(?!svg)/

/** The answers that all runs of a process keep. */
export class Rings {
  /** oldest first */
  private readonly kept = new Set<KeptAnswer>()
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
  keep(one: KeptAnswer): void {
    if (this.isClosed) return
    this.kept.add(one)
    this.grow(one.size)
  }

  /** For {@link Ring}. */
  read(one: KeptAnswer, chunk: Uint8Array): void {
    if (!this.kept.has(one)) return
    const before = one.size
    one.add(chunk)
    this.grow(one.size - before)
  }

  /** For {@link Ring}. */
  drop(one: KeptAnswer): void {
    if (!this.kept.delete(one)) return
    this.size -= one.size
    one.release()
  }

  /** For {@link Ring}. */
  has(one: KeptAnswer): boolean {
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
  private latest: KeptAnswer[] = []

  constructor(private readonly rings: Rings) {}

  /** Keeps the answers of a client. */
  readonly observer: Observer = ({ method, url, body }) => {
    const one = new KeptAnswer(method, url, body === undefined || body.length > MOST_BODY ? undefined : body)
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
    const one = new KeptAnswer(method, url, undefined)
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

  private keep(one: KeptAnswer): void {
    this.latest.push(one)
    this.rings.keep(one)
    if (one.isRedirect) return
    if (++this.answers <= MOST_ANSWERS) return
    const counted = this.latest.filter(({ isRedirect }) => !isRedirect)
    if (counted.length <= MOST_ANSWERS) return
    const first = this.latest.indexOf(counted[1]!)
    for (const old of this.latest.slice(0, first)) this.forget(old)
  }

  private forget(one: KeptAnswer): void {
    this.latest = this.latest.filter((other) => other !== one)
    this.rings.drop(one)
  }
}

export type CompleteAnswer = Pick<ObservedExchange, 'method' | 'url' | 'headers' | 'body'> & {
  readonly status: number
  /** a document that is read again: its former state is given up. Default false */
  readonly replaces?: boolean
}
