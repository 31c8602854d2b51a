/**
 * The names that can be used at the prompt: the kit of plugins, and functions for the current answer.
 *
 * @module
 */
import type { FetchOptions } from '../../src/plugin.ts'
import * as kit from '../../src/plugin.ts'
import { type Answer, documentOf } from './answer.ts'
import { type Matches, matchesIn } from './matches.ts'
import { elementLine, elementsLine, embeddedLine, jsonLines } from './paste.ts'
import type { Requests } from './requests.ts'
import type { Step } from './search.ts'

/** What a function of the prompt returned last, with the lines that do the same in a plugin. */
type Last = { readonly value: unknown; readonly lines: () => readonly string[] }

const NO_ANSWER = 'there is no answer yet: await fetch(url)'

/** The tools of one session: its answers, the current one, and the names for them. */
export class Toolkit {
  readonly answers: Answer[] = []
  readonly scope: Record<string, unknown>
  private current: Answer | undefined
  private last: Last | undefined

  /** @param help printed by `help()` */
  constructor(
    private readonly requests: Requests,
    help: (text: string) => void,
  ) {
    this.scope = this.names(help)
  }

  /** Makes an answer the current one. @throws {RangeError} when there is none with this number */
  use(number: number): Answer {
    const answer = this.answers[number]
    if (!answer) throw new RangeError(`there is no answer ${number}: see answers`)
    this.current = answer
    return answer
  }

  /** The lines for a plugin that give this value, if a function of the prompt found it just now; else none. */
  linesFor(value: unknown): readonly string[] {
    const { last } = this
    this.last = undefined
    const isLast = last !== undefined && last.value === value && value !== null && value !== undefined
    return isLast ? last.lines() : []
  }

  private answer(): Answer {
    if (!this.current) throw new TypeError(NO_ANSWER)
    return this.current
  }

  private remember<T>(value: T, lines: () => readonly string[]): T {
    this.last = { value, lines }
    return value
  }

  /** Requests an address; its answer becomes the current one. */
  async fetch(address: string, options?: FetchOptions): Promise<Answer> {
    const answer = await this.requests.fetch(address, options)
    this.answers.push(answer)
    this.current = answer
    return answer
  }

  private names(help: (text: string) => void): Record<string, unknown> {
    const toolkit = this
    return {
      ...kit,
      fetch: (address: string, options?: FetchOptions) => this.fetch(address, options),
      answers: this.answers,
      use: (number: number) => this.use(number),
      get answer() {
        return toolkit.answer()
      },
      get html() {
        return toolkit.answer().text
      },
      get json() {
        return toolkit.answer().json
      },
      get document() {
        return toolkit.answer().document
      },
      dom: (html: string) => documentOf(html),
      $: (selector: string, within: ParentNode = this.answer().document) =>
        this.remember(within.querySelector(selector), () => [elementLine(selector)]),
      $$: (selector: string, within: ParentNode = this.answer().document) => {
        const elements = [...within.querySelectorAll(selector)]
        return this.remember(elements, () => (elements.length > 0 ? [elementsLine(selector)] : []))
      },
      at: (json: unknown, ...steps: Step[]) => {
        const value = kit.at(json, ...steps)
        return this.remember(value, () => jsonLines(this.nameOf(json), steps, value))
      },
      listAt: (json: unknown, ...steps: Step[]) => {
        const value = kit.listAt(json, ...steps)
        return this.remember(value, () => jsonLines(this.nameOf(json), steps, value))
      },
      jsonAfter: (page: string, marker: string) =>
        this.remember(kit.jsonAfter(page, marker), () => [embeddedLine('html', marker)]),
      paths: (...words: [pattern: string | RegExp] | [subject: unknown, pattern: string | RegExp]) => {
        const matches = words.length === 2 ? matchesIn(...words) : matchesIn(this.subject(), words[0])
        return this.remember(matches, () =>
          this.linesOf(matches, words.length === 2 ? words[0] : this.subject()),
        )
      },
      help: () => help(HELP),
    }
  }

  /** The current answer's JSON, or its page. */
  private subject(): unknown {
    const { json, text } = this.answer()
    return json === undefined ? text : json
  }

  private linesOf([match]: Matches, subject: unknown): string[] {
    if (!match) return []
    const { marker, steps, value } = match
    if (marker === undefined) return jsonLines(this.nameOf(subject), steps, value)
    return [embeddedLine('html', marker), ...jsonLines('state', steps, value)]
  }

  /** The name by which the prompt knows a value. */
  private nameOf(value: unknown): string {
    if (value === this.current?.json) return 'json'
    const name = Object.entries(Object.getOwnPropertyDescriptors(this.scope)).find(
      ([, { value: known }]) => known === value,
    )?.[0]
    return name ?? 'item'
  }
}

/** What `help()` prints. */
export const HELP = `fetch(url, options)   requests a page or JSON, at the pace of its source: await fetch('/api/lamps?page=2')
answers, use(n)       the answers so far; makes one of them the current one
answer, html, json    the current answer, its text, its JSON (undefined when it is none)
document, $(css), $$(css)   its document; the first element, or all elements, that a selector finds
paths(pattern)        where a name or a value is in its JSON, or in the JSON of its page's scripts: paths('price'), paths(/7[.]50/)
paths(value, pattern) the same in any JSON, or in a page's text
dom(html)             the document of a page's text
at(json, 'lamps', 0, 'title')      a value by its path
jsonAfter(html, 'window.shop =')   JSON in a page
reader, field, Type, listAt, textOf and all else that gleaner/plugin exports
.exit, or Ctrl-D      ends the shell
`
