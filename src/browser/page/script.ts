/**
 * Expressions in a page, over the browser's protocol: its scripts can't tell that anybody looks.
 *
 * @module
 */
import type { CDPSession } from 'rebrowser-playwright'
import { TryAgain } from '../../plugin/errors.ts'
import { PageError } from '../failure.ts'
import { tooLarge } from './arrived.ts'

/** The largest value or document, in characters. */
const MOST_CHARS = 32 * 1024 * 1024

/**
 * The value of an expression, awaited.
 *
 * @param world by its number, see {@link World}; default: that of the page's own scripts
 * @returns as JSON has it; null where that has nothing
 * @throws {TryAgain} when the page moved on meanwhile
 * @throws {PageError} with the words of what the expression threw
 */
export async function evaluate(session: CDPSession, expression: string, world?: number): Promise<unknown> {
  const json = `(async () => JSON.stringify(await (${expression}\n)))()`
  const bounded = `${json}.then((text) => text && text.length > ${MOST_CHARS} ? 0 : text)`
  const options = { expression: bounded, awaitPromise: true, returnByValue: true }
  const asked = session.send(
    'Runtime.evaluate',
    world === undefined ? options : { ...options, contextId: world },
  )
  const { result, exceptionDetails } = await asked.catch((error: Error) => {
    const hasMoved = /navigated|context was destroyed|Cannot find context|Promise was collected/i
    throw hasMoved.test(error.message) ? new TryAgain('the page moved on while it was read') : error
  })
  if (exceptionDetails) {
    const { exception, text } = exceptionDetails
    throw new PageError(`in the page: ${exception?.description ?? exception?.value ?? text}`)
  }
  if (result.value === 0) throw tooLarge('a value of the page')
  return typeof result.value === 'string' ? JSON.parse(result.value) : null
}

/** The document as text, with its doctype. */
export async function documentOf(session: CDPSession): Promise<string> {
  const doctype = `document.doctype ? new XMLSerializer().serializeToString(document.doctype) + '\\n' : ''`
  return String(
    await evaluate(
      session,
      `(${doctype}) + (document.documentElement ? document.documentElement.outerHTML : '')`,
    ),
  )
}

/** A world beside the page's scripts: the same document, and nothing that they have changed or could watch. */
export class World {
  private id: Promise<number> | undefined

  constructor(
    private readonly session: CDPSession,
    private readonly frameId: string,
    /** of a world that others know too; without one it is nobody else's */
    private readonly name?: string,
  ) {}

  /** Each document has another world. @throws as {@link evaluate} */
  async evaluate(expression: string): Promise<unknown> {
    this.id ??= this.create()
    try {
      return await evaluate(this.session, expression, await this.id)
    } catch (error) {
      if (error instanceof TryAgain) this.id = undefined
      throw error
    }
  }

  private async create(): Promise<number> {
    const { frameId, name } = this
    const world = { frameId, ...(name === undefined ? {} : { worldName: name }) }
    const { executionContextId } = await this.session.send('Page.createIsolatedWorld', world)
    return executionContextId
  }
}
