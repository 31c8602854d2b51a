/**
 * The header Idempotency-Key.
 *
 * @module
 */
import { Problem } from './problems.ts'

/** 1 to 255 printable ASCII characters. */
const FORM = /^[\x20-\x7e]{1,255}$/

/** How the documentation describes the header. */
export const IDEMPOTENCY_KEY_HEADER = {
  name: 'Idempotency-Key',
  description:
    'Makes the call safe to repeat: the repeat is answered with the original, and nothing is done or charged twice. ' +
    '1 to 255 printable ASCII characters. The same key with another request is refused.',
  schema: { type: 'string', minLength: 1, maxLength: 255 },
} as const

/**
 * The Idempotency-Key of a request, undefined without one.
 *
 * @throws {Problem} 400 when it is empty, too long or not printable
 */
export function idempotencyKeyOf({ headers }: Request): string | undefined {
  const key = headers.get('idempotency-key')
  if (key === null) return undefined
  if (!FORM.test(key)) throw new Problem('bad-idempotency-key')
  return key
}
