/**
 * An answer that can be looked into: of a cassette, or of a request made at the prompt.
 *
 * @module
 */
import { parseHTML } from 'linkedom'
import { answerOf, type Exchange } from '../../src/plugin/testing/exchanges.ts'
import type { Reply } from '../../src/plugin.ts'
import { bytesOf } from '../dry-run/units.ts'
import { isHtml, jsonInBody } from '../shape/body.ts'

export class Answer {
  private parsed: { readonly json: unknown } | undefined
  private page: Document | undefined

  /** @param text the body, decoded */
  constructor(
    readonly request: string,
    readonly status: number,
    readonly headers: Headers,
    readonly text: string,
  ) {}

  /** The body as JSON, with ids beyond 2^53 as text; undefined when it is not JSON. */
  get json(): unknown {
    this.parsed ??= { json: jsonInBody(this.text, { exact: true }) }
    return this.parsed.json
  }

  /** The body as a page; empty when it is none. */
  get document(): Document {
    this.page ??= documentOf(this.isPage ? this.text : '')
    return this.page
  }

  get isPage(): boolean {
    return isHtml(this.text)
  }

  /** What it is, in a line: `GET /api/lamps  200  JSON, 1.2 kB`. */
  get line(): string {
    const kind = this.isPage ? 'page' : this.json === undefined ? 'text' : 'JSON'
    const size = bytesOf(Buffer.byteLength(this.text))
    return `${this.request}  ${this.status}  ${this.text === '' ? 'empty' : `${kind}, ${size}`}`
  }
}

/** The document of a page. */
export const documentOf = (html: string): Document =>
  parseHTML(html === '' ? '<!doctype html><html></html>' : html).document as unknown as Document

/** The answer of a recorded exchange. */
export async function recordedAnswer(exchange: Exchange): Promise<Answer> {
  const response = answerOf(exchange)
  return new Answer(exchange.request, response.status, response.headers, await response.text())
}

/** The answer to a request, read to its end. */
export const receivedAnswer = async (method: string, reply: Reply): Promise<Answer> =>
  new Answer(`${method} ${reply.url}`, reply.status, reply.headers, await reply.text())
