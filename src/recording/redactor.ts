/**
 * Removes credentials from texts and JSON. A credential found in one place is removed everywhere, so that the exchanges
 * of a run stay consistent.
 *
 * @module
 */
import { REDACTED } from '../plugin/testing/exchanges.ts'
import { FORMS, isCredentialName, isUnmistakable } from './credentials.ts'

/** `"name": "value"`, `name = 'value'`, also with escaped quotes. */
const FIELD = /(\\?["']|)([\w-]{2,40})\1(\s*[:=]\s*)(\\?["'])((?:(?!\4)(?:\\.|[^\\]))*?)\4/gs
/** `name=value` of a query or a form. */
const PARAMETER = /(^|[?&;])([\w.-]{2,40})=([^&#;\s"'<>\\]+)/g
/** A shorter text is no credential, unless it has a name or an address in it. */
const SHORTEST = 16
const MARKED = /[=:<@]/
const TAG = /<(?:input|meta)\b[^>]*>/gi
const TAG_NAME = /\b(?:name|property|id)\s*=\s*["']?([\w-]+)/i
const TAG_VALUE = /(\b(?:value|content)\s*=\s*["'])([^"']*)/i

export class Redactor {
  private readonly values = new Set<string>()
  private readonly counts = new Map<string, number>()

  /** The credentials found, with their count: `csrf_token (2)`. */
  get credentials(): string[] {
    return [...this.counts].map(([what, count]) => (count === 1 ? what : `${what} (${count})`))
  }

  /** Replaces a value that is a credential. @param what its name in {@link credentials} */
  take(what: string, value: string): string {
    if (value === '' || value === REDACTED) return value
    this.counts.set(what, (this.counts.get(what) ?? 0) + 1)
    if (isUnmistakable(value)) this.values.add(value).add(encodeURIComponent(value))
    return REDACTED
  }

  /** A value without credentials. */
  value(name: string, value: string): string {
    return isCredentialName(name) ? this.take(name, value) : this.text(value)
  }

  /** A text, page or JSON text without credentials. */
  text(text: string): string {
    // Most strings of a JSON text are such, and a page has many of them.
    if (text.length < SHORTEST && !MARKED.test(text)) return text
    let clean = text
    for (const value of this.values) clean = clean.replaceAll(value, REDACTED)
    if (clean.includes('<')) clean = clean.replace(TAG, (tag) => this.tag(tag))
    if (/["']/.test(clean))
      clean = clean.replace(FIELD, (field, quote, name, equals, open, value) =>
        isCredentialName(name)
          ? `${quote}${name}${quote}${equals}${open}${this.take(name, value)}${open}`
          : field,
      )
    if (clean.includes('='))
      clean = clean.replace(PARAMETER, (pair, before, name, value) =>
        isCredentialName(name) ? `${before}${name}=${this.take(name, value)}` : pair,
      )
    for (const [what, form, mark] of FORMS)
      if (clean.includes(mark)) clean = clean.replace(form, (value) => this.take(what, value))
    return clean
  }

  /**
   * A JSON value without credentials, its keys in the same order. Numbers that are credentials become 0 to stay
   * numbers.
   */
  json(value: unknown): unknown {
    if (typeof value === 'string') return this.text(value)
    if (Array.isArray(value)) return value.map((entry) => this.json(entry))
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, this.field(name, field)]))
  }

  private field(name: string, value: unknown): unknown {
    if (typeof value === 'string') return this.value(name, value)
    if (typeof value !== 'number' || !isCredentialName(name)) return this.json(value)
    this.take(name, String(value))
    return 0
  }

  private tag(tag: string): string {
    const name = TAG_NAME.exec(tag)?.[1]
    if (name === undefined || !isCredentialName(name)) return tag
    return tag.replace(TAG_VALUE, (_, before, value) => `${before}${this.take(name, value)}`)
  }
}
