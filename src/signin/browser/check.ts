/**
 * Validates untrusted input: unknown input is rejected.
 *
 * @module
 */
import { Value } from '@sinclair/typebox/value'
import { SignInError } from './errors.ts'
import { keyEventOf } from './keys.ts'
import { INPUTS, type SignInInput, type Viewport } from './types.ts'

const refused = (what: string): SignInError => new SignInError('bad-input', `not understood: ${what}`)

/**
 * Validates an input and removes unknown fields.
 *
 * @param viewport positions outside of it are moved to its edge
 * @throws {SignInError} `bad-input`, with the name of the field, but nothing of its value
 */
export function checkInput(sent: unknown, viewport: Viewport): SignInInput {
  const { type, action } = (sent ?? {}) as Readonly<Record<string, unknown>>
  const name = type === 'pointer' && action === 'wheel' ? 'wheel' : type
  if (!isKnown(name)) throw refused('type')
  const wrong = Value.Errors(INPUTS[name], sent).First()
  if (wrong) throw refused(wrong.path.slice(1))
  const input = Value.Clean(INPUTS[name], { ...(sent as object) }) as SignInInput
  const field = misfit(input)
  if (field) throw refused(field)
  if (input.type !== 'pointer') return input
  return { ...input, x: Math.min(input.x, viewport.width), y: Math.min(input.y, viewport.height) }
}

const isKnown = (name: unknown): name is keyof typeof INPUTS =>
  typeof name === 'string' && Object.hasOwn(INPUTS, name)

/** The field of an input that conflicts with other fields. */
function misfit(input: SignInInput): string | undefined {
  switch (input.type) {
    case 'key':
      return keyEventOf(input) ? undefined : 'key'
    case 'text':
      return input.text.isWellFormed() ? undefined : 'text'
    case 'composition':
      if (!input.text.isWellFormed()) return 'text'
      if (input.start > input.text.length) return 'start'
      return input.end < input.start || input.end > input.text.length ? 'end' : undefined
  }
}
