/**
 * Submitted forms.
 *
 * @module
 */
import { hash } from 'node:crypto'
import type { OperationRow } from '../../projections/operations.ts'
import { canonicalJson } from '../catalogue/input.ts'
import type { Operation } from '../domain/event-type.ts'
import type { AccountId } from '../domain/ids.ts'
import { type Html, html } from '../html.ts'
import { Problem } from '../http/problems.ts'
import { randomUUID } from '../random.ts'
import { seeOther } from './redirect.ts'
import type { PageRequest } from './visitor.ts'

/** The submitted values by field. A missing field is an empty text. */
export type Form = {
  text(name: string): string
  /** all values of a field that may occur several times */
  all(name: string): readonly string[]
}

/**
 * Reads the form of a request.
 *
 * @param many fields that may occur several times; other repeated fields are refused
 * @throws {Problem} 400, 415
 */
export function formOf({ call, body }: PageRequest, many: readonly string[] = []): Form {
  const type = call.request.headers.get('content-type')?.split(';')[0]?.trim().toLowerCase()
  if (type !== 'application/x-www-form-urlencoded' && body.length > 0)
    throw new Problem('unsupported-media-type', { detail: 'Send the form as the page submits it.' })
  // In one pass: a body of a megabyte may have half a million fields, and a look-up searches all of them.
  const fields = new Map<string, string[]>()
  for (const [name, value] of new URLSearchParams(decoded(body))) {
    if (!value.isWellFormed() || value.includes('\0'))
      throw new Problem('bad-form', { detail: 'The form contains invalid text. Open the page again.' })
    const values = fields.get(name)
    if (values && !many.includes(name))
      throw new Problem('bad-form', { detail: 'A field was sent twice. Open the page again.' })
    if (values) values.push(value)
    else fields.set(name, [value])
  }
  return { text: (name) => fields.get(name)?.[0] ?? '', all: (name) => fields.get(name) ?? [] }
}

const KEY = 'idempotency_key'

/** A hidden field for forms that must not take effect twice; see {@link submissionOf}. */
export const submissionKey = (sent?: Form): Html =>
  html`<input type="hidden" name="${KEY}" value="${sent?.text(KEY) || randomUUID()}">`

/** The same as a value of a form that is a button; see `action`. */
export const newSubmission = (): Readonly<Record<string, string>> => ({ [KEY]: randomUUID() })

/**
 * Identifies a submission: a form that is sent twice, as by a double click, takes effect once. Other values are another
 * submission, since a browser that goes back may restore a form with its old key.
 */
export const submissionOf = (sent: Form, values: unknown): string =>
  hash('sha256', canonicalJson([sent.text(KEY) || randomUUID(), values]), 'hex')

/** A form that creates something, as it was sent. Its page has a {@link submissionKey}. */
type Submission = {
  /** the account that will own it */
  readonly accountId: AccountId
  /** what it creates, such as `keys` */
  readonly what: string
  readonly sent: Form
  readonly values: object
}

/**
 * Creates something once for each submission of a form, however often the form is sent. A repeat waits for the first.
 *
 * @param answers `first` creates it and answers; undefined if another process did so at the same time. `page`: the page
 *   that a repeat leads to, as the browser sees it
 */
export function createOnce(
  { deps }: PageRequest,
  { accountId, what, sent, values }: Submission,
  answers: {
    first(operation: Operation): Promise<Response | undefined>
    page(done: OperationRow): string | Promise<string>
  },
): Promise<Response> {
  const keyed = { owner: accountId, idempotencyKey: submissionOf(sent, values), input: {} }
  return deps.once.keyed(keyed, `console/${what}`, {
    first: (operation) => answers.first(operation),
    again: async (done) => seeOther(await answers.page(done)),
  })
}

/** The lines of a text, without blank ones. */
export const linesOf = (text: string): string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')

function decoded(body: Uint8Array): string {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(body)
    // Percent-encoded bytes must be UTF-8 too.
    decodeURIComponent(text.replaceAll('+', ' '))
    return text
  } catch {
    throw new Problem('bad-form', { detail: 'The form is not valid UTF-8. Open the page again.' })
  }
}
