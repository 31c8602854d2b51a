/**
 * Evaluates expressions in a page over CDP, undetectably for the page's scripts.
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
 * Evaluates an expression and awaits its value.
 *
 * @param world the id of an execution context, see {@link World}; default: the page's own scripts
 * @returns the value after a round trip through JSON; null when JSON can't express it
 * @throws {TryAgain} when the page navigates away during the evaluation
 * @throws {PageError} with the message of the error that the expression threw
 */
export async function evaluate(session: CDPSession, expression: string, world?: number): Promise<unknown> {
  const json = `(async () => JSON.stringify(await (${expression}\n)))()`
  const bounded = `${json}.then((text) => text && text.length > ${MOST_CHARS} ? 0 : text)`
  const options = { expression: bounded, awaitPromise: true, returnByValue: true }
  const evaluation = session.send(
    'Runtime.evaluate',
    world === undefined ? options : { ...options, contextId: world },
  )
  const { result, exceptionDetails } = await evaluation.catch((error: Error) => {
    const hasMoved = /navigated|context was destroyed|Cannot find context|Promise was collected/i
    throw hasMoved.test(error.message) ? new TryAgain('the page navigated away while it was read') : error
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

/** An isolated world: it shares the document, but the page's scripts can neither change nor observe its globals. */
export class World {
  private id: Promise<number> | undefined

  constructor(
    private readonly session: CDPSession,
    private readonly frameId: string,
    /** a name by which other scripts share the world; without a name it is private */
    private readonly name?: string,
  ) {}

  /** A new document was opened: it has a new world. */
  forget(): void {
    this.id = undefined
  }

  /** Evaluates in the world of the current document. @throws as {@link evaluate} */
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
