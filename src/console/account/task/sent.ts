/**
 * The input in the fields of a submitted form.
 *
 * @module
 */
import { type Form, linesOf } from '../../form.ts'
import { fieldsIn, type InputSchema, kindOf, type Shape } from './shape.ts'

/** The names of form fields that may occur several times. */
export const repeated = (schema: object): string[] =>
  fieldsIn(schema as InputSchema)
    .filter(({ shape }) => kindOf(shape) === 'checks')
    .map(({ name }) => `in.${name}`)

/** The input in a submitted form, without empty fields. */
export function inputIn(schema: object, sent: Form): Record<string, unknown> {
  const input: Record<string, unknown> = {}
  for (const [name, shape] of Object.entries((schema as InputSchema).properties ?? {})) {
    const texts = sent
      .all(`in.${name}`)
      .map((text) => text.replaceAll('\r\n', '\n'))
      .filter((text) => text.trim() !== '')
    if (texts.length > 0) input[name] = typed(shape, texts)
  }
  return input
}

/** Converts texts to their field's type. An invalid text is kept: the validation of the input reports it. */
function typed(shape: Shape, texts: readonly string[]): unknown {
  const [text = ''] = texts
  switch (kindOf(shape)) {
    case 'checks':
      return texts
    case 'commas': {
      const entries = text.split(',').map((each) => each.trim())
      const used = entries.filter((each) => each !== '')
      return used.length > 1 ? used : text.trim()
    }
    case 'lines':
      return linesOf(text)
    case 'boolean':
      return text === 'true' ? true : text === 'false' ? false : text
    case 'number': {
      const value = Number(text)
      return Number.isFinite(value) ? value : text
    }
    default:
      return text
  }
}
