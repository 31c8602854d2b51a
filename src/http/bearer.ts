/**
 * The API key of a request, read by the bearer plugin. The plugin also takes a key from the query, and knows one spelling
 * of the scheme. The API takes no key from a URL, since URLs end up in logs, and the scheme in any case.
 *
 * @module
 */
import { bearer } from '@elysiajs/bearer'
import { Elysia } from 'elysia'

/** Adds `bearer` to the context of all routes that follow: the key of the Authorization header, or undefined. */
export const bearerKey = () =>
  new Elysia({ name: 'bearer-key' })
    // Runs before the plugin, which therefore finds only what it may read.
    .derive({ as: 'global' }, (context) => {
      context.query = {}
      context.headers.authorization = normalized(context.headers.authorization)
      return {}
    })
    .use(bearer())

/**
 * An Authorization header as the plugin reads it. Two headers arrive as one comma-separated value. If either is for a
 * key, the whole value counts as the key, which is then invalid.
 */
export function normalized(header = ''): string | undefined {
  const [, key] = /^bearer +(.*)$/is.exec(header) ?? []
  if (key !== undefined) return `Bearer ${key.trim()}`
  return /,\s*bearer\s/i.test(header) ? `Bearer ${header}` : undefined
}
