/**
 * Removes secrets that are known by their value from a cassette: cookies of a login, the operator's credentials. What is
 * recognized as a credential by its name or format was removed before.
 *
 * @module
 */
import { clock } from '../async/clock.ts'
import { nextTurn } from '../async/delay.ts'
import { REDACTED } from '../plugin/testing/exchanges.ts'
import type { Cassette, Exchange } from '../plugin/testing.ts'
import { Redactor } from './redactor.ts'

/** A shorter value occurs in many places by chance, and protects nothing. */
const SHORTEST = 6
/** How long the search may keep the event loop from other work, in milliseconds. */
const TURN_MS = 20

/**
 * A cassette in which none of the values occurs, neither plain nor as addresses, pages and JSON texts write them. Values
 * of fewer than 6 characters are not looked for.
 */
export async function withoutSecrets(cassette: Cassette, secrets: Iterable<string>): Promise<Cassette> {
  const forms = formsOf(secrets)
  const present = await presentIn(JSON.stringify(cassette), forms)
  const { input, note, exchanges, ...rest } = cassette
  const clean =
    present.length === 0
      ? cassette
      : {
          ...rest,
          input: replaced(input, present) as Cassette['input'],
          ...(note !== undefined && { note: replaced(note, present) as string }),
          exchanges: exchanges.map((exchange) => withoutForms(exchange, present)),
        }
  return { ...clean, exchanges: clean.exchanges.map((exchange) => withoutBytes(exchange, forms)) }
}

/** The forms in which texts contain these values, the longest first: a value may be a part of another one. */
function formsOf(secrets: Iterable<string>): string[] {
  const forms = new Set<string>()
  for (const secret of secrets)
    for (const plain of [secret, decoded(secret)]) {
      const written = [plain, encodeURIComponent(plain), escapedForHtml(plain), escapedForJson(plain)]
      for (const form of written) if (form.length >= SHORTEST) forms.add(form).add(redactedBefore(form))
    }
  forms.delete(REDACTED)
  return [...forms].sort((a, b) => b.length - a.length)
}

/** What an earlier redaction leaves of a value, such as one with an e-mail address in it. */
const redactedBefore = (form: string): string => new Redactor().text(form)

function decoded(value: string): string {
  try {
    return decodeURIComponent(value)
  } catch {
    return value
  }
}

const escapedForJson = (value: string): string => JSON.stringify(value).slice(1, -1)

const escapedForHtml = (value: string): string =>
  value.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')

/** Those that occur in a string of a JSON text. Most do not, and to replace all in every string takes much longer. */
async function presentIn(json: string, forms: readonly string[]): Promise<string[]> {
  const present: string[] = []
  let turned = clock.monotonic()
  for (const form of forms) {
    if (json.includes(escapedForJson(form))) present.push(form)
    if (clock.monotonic() - turned < TURN_MS) continue
    await nextTurn()
    turned = clock.monotonic()
  }
  return present
}

/** A JSON value without these texts, its field names included. */
function replaced(value: unknown, forms: readonly string[]): unknown {
  if (typeof value === 'string') return forms.reduce((text, form) => text.replaceAll(form, REDACTED), value)
  if (typeof value === 'number') return forms.includes(String(value)) ? 0 : value
  if (Array.isArray(value)) return value.map((entry) => replaced(entry, forms))
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value)
  return Object.fromEntries(
    entries.map(([name, field]) => [replaced(name, forms) as string, replaced(field, forms)]),
  )
}

function withoutForms(exchange: Exchange, forms: readonly string[]): Exchange {
  // The names of its own fields stay, whatever the secrets are.
  const fields = Object.entries(exchange).map(([name, field]) => [
    name,
    name === 'base64' || name === 'status' ? field : replaced(field, forms),
  ])
  return Object.fromEntries(fields) as Exchange
}

/** Overwrites the values in a binary body with `x`, so that it keeps its length. */
function withoutBytes(exchange: Exchange, forms: readonly string[]): Exchange {
  if (exchange.base64 === undefined) return exchange
  const bytes = Buffer.from(exchange.base64, 'base64')
  for (const form of forms)
    for (let at = bytes.indexOf(form); at >= 0; at = bytes.indexOf(form, at + 1))
      bytes.fill('x', at, at + Buffer.byteLength(form))
  return { ...exchange, base64: bytes.toString('base64') }
}
