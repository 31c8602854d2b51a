/**
 * A list that a page asks its site for part by part while it is scrolled: each part at an offset, as the site counts.
 *
 * @module
 */
import { type Answers, type BrowserPage, integerOrNull, type Reply } from 'gleaner/plugin'
import { jsonOf } from './walls.ts'

/** Parts of the address that the site's script adds itself, made for that one request. */
const SIGNATURES = ['X-Bogus', 'X-Gnarly', 'msToken', '_signature']
/** The first part comes with the page, the following ones when it is scrolled. */
const FIRST_S = 15
const NEXT_S = 4
/** So often it is scrolled before a list counts as cut off here. */
const SCROLLS = 2

/** One part: what was answered, from which offset on. */
export type Part = { readonly from: number; readonly json: unknown }

export class Feed {
  private last: { readonly url: string; readonly part: Part } | undefined
  /** the page itself stands elsewhere: every further part is asked for like the one before */
  private jumping = false

  /**
   * @param answers to the list's requests, from before the page was opened
   * @param show brings the list forth, or its next part
   */
  constructor(
    private readonly page: BrowserPage,
    private readonly answers: Answers,
    private readonly show: (isFirst: boolean) => Promise<void>,
  ) {}

  /**
   * The part at an offset, or the one that the offset lies in.
   *
   * @returns null when the page does not come to it
   * @throws {SourceError} as `jsonOf` does
   */
  async at(offset: number): Promise<Part | null> {
    let part = this.last?.part ?? (await this.next())
    if (part && part.from < offset && (this.jumping || endOf(part) < offset)) {
      const jumped = await this.jump(offset)
      if (jumped || this.jumping) return jumped
    }
    while (part && !covers(part, offset)) part = await this.next()
    return part
  }

  private async next(): Promise<Part | null> {
    const isFirst = this.last === undefined
    for (let tries = 0; tries < SCROLLS; tries++) {
      await this.show(isFirst && tries === 0)
      const reply = await this.answers.next({ timeoutS: isFirst ? FIRST_S : NEXT_S })
      if (reply) return this.take(reply)
    }
    return null
  }

  private async take(reply: Reply): Promise<Part> {
    const from = integerOrNull(new URL(reply.url).searchParams.get('cursor')) ?? 0
    const part = { from, json: jsonOf(await reply.text()) }
    this.last = { url: reply.url, part }
    return part
  }

  /** Asks for a part as the page would: its script signs what is fetched in it. Null when that is not let in. */
  private async jump(offset: number): Promise<Part | null> {
    if (!this.last) return null
    const url = new URL(this.last.url)
    for (const name of SIGNATURES) url.searchParams.delete(name)
    url.searchParams.set('cursor', String(offset))
    const ask = `fetch(${JSON.stringify(url.href)}, { credentials: 'include' }).then((reply) => reply.ok ? reply.text() : '', () => '')`
    const body = String((await this.page.evaluate(ask)) ?? '')
    if (body === '') return null
    const part = { from: offset, json: jsonOf(body) }
    this.last = { url: url.href, part }
    this.jumping = true
    return part
  }
}

const covers = (part: Part, offset: number): boolean =>
  part.from === offset || (part.from < offset && offset < endOf(part))

/** Where the part behind this one begins. */
function endOf({ from, json }: Part): number {
  const cursor = integerOrNull((json as { cursor?: unknown }).cursor)
  return cursor !== null && cursor > from ? cursor : from
}
