/**
 * Input as it came from outside: nothing is passed on that is not understood.
 *
 * @module
 */
import { SignInError } from './errors.ts'
import { keyEventOf } from './keys.ts'
import { type KeyInput, SIZES, type SignInInput, type Viewport } from './types.ts'

/** The longest text that is pasted, or made by an input method, in characters. */
export const MOST_TEXT = 10_000
/** The farthest that one turn of a wheel goes, in CSS pixels. */
const MOST_WHEEL = 10_000
/** A browser numbers its fingers upwards for as long as it runs. */
const MOST_POINTER_ID = 2 ** 31 - 1

type Sent = Readonly<Record<string, unknown>>
/** The fields of an input, and what each may hold. */
type Fields = Readonly<Record<string, (value: unknown, input: Sent) => boolean>>

// What is no number is not within anything either.
const number = (least: number, most: number) => (value: unknown) =>
  typeof value === 'number' && value >= least && value <= most
const integer = (least: number, most: number) => (value: unknown) =>
  Number.isInteger(value) && number(least, most)(value)
const oneOf =
  (...all: readonly string[]) =>
  (value: unknown) =>
    all.includes(value as string)
const flag = (value: unknown) => typeof value === 'boolean'
const text = (value: unknown) =>
  typeof value === 'string' && value.length <= MOST_TEXT && value.isWellFormed()

const size = { width: integer(SIZES.least, SIZES.most), height: integer(SIZES.least, SIZES.most) }
const modifiers = integer(0, 15)
const place = ({ width, height }: Viewport) => ({ x: number(0, width), y: number(0, height), modifiers })
const WHEEL = { dx: number(-MOST_WHEEL, MOST_WHEEL), dy: number(-MOST_WHEEL, MOST_WHEEL) }
const POINTER = {
  action: oneOf('down', 'move', 'up', 'cancel'),
  pointerType: oneOf('mouse', 'touch'),
  pointerId: integer(0, MOST_POINTER_ID),
  button: integer(-1, 2),
  buttons: integer(0, 7),
  clicks: integer(0, 3),
}
const KEY = {
  action: oneOf('down', 'up'),
  code: (value: unknown) => typeof value === 'string' && /^[A-Za-z0-9]{0,20}$/.test(value),
  location: integer(0, 3),
  repeat: flag,
  modifiers,
  // Last: only a key whose other fields are understood can be looked at.
  key: (value: unknown, input: Sent) =>
    typeof value === 'string' && value.length <= 20 && keyEventOf(input as KeyInput) !== undefined,
}
const COMPOSITION = {
  text,
  start: (value: unknown, input: Sent) => integer(0, String(input.text).length)(value),
  end: (value: unknown, input: Sent) => integer(Number(input.start), String(input.text).length)(value),
}

function fieldsOf({ type, action }: Sent, viewport: Viewport): Fields | undefined {
  switch (type) {
    case 'pointer':
      return { ...place(viewport), ...(action === 'wheel' ? { action: oneOf('wheel'), ...WHEEL } : POINTER) }
    case 'key':
      return KEY
    case 'text':
      return { text }
    case 'composition':
      return COMPOSITION
    case 'resize':
      return size
    case 'back':
    case 'reload':
      return {}
  }
}

const refused = (what: string): SignInError => new SignInError('bad-input', `not understood: ${what}`)

/**
 * An input with the fields that it has, and no others.
 *
 * @param viewport what its places must lie in
 * @throws {SignInError} `bad-input`, with the name of the field and nothing of what it holds
 */
export function checkInput(sent: unknown, viewport: Viewport): SignInInput {
  const input = (sent ?? {}) as Sent
  const fields = fieldsOf(input, viewport)
  if (!fields) throw refused('type')
  return { type: input.type, ...checked(input, fields) } as SignInInput
}

function checked(input: Sent, fields: Fields): Sent {
  const taken: Record<string, unknown> = {}
  for (const [name, is] of Object.entries(fields)) {
    if (!is(input[name], input)) throw refused(name)
    taken[name] = input[name]
  }
  return taken
}
