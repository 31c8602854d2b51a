/**
 * Input as it came from outside: nothing is passed on that is not understood.
 *
 * @module
 */
import { SignInError } from './errors.ts'
import { keyEventOf } from './keys.ts'
import {
  type KeyInput,
  MOST_SCALE,
  type PointerInput,
  SIZES,
  type SignInInput,
  type Viewport,
} from './types.ts'

/** The longest text that is pasted, or made by an input method, in characters. */
export const MOST_TEXT = 10_000
/** The farthest that one turn of a wheel goes, in CSS pixels. */
const MOST_WHEEL = 10_000
/** A browser numbers its fingers upwards for as long as it runs. */
const MOST_POINTER_ID = 2 ** 31 - 1

type Sent = Readonly<Record<string, unknown>>

const refused = (what: string): SignInError => new SignInError('bad-input', `not understood: ${what}`)

/**
 * An input with the fields that it has, and no others.
 *
 * @param viewport what its places must lie in
 * @throws {SignInError} `bad-input`, with the name of the field and nothing of what it holds
 */
export function checkInput(sent: unknown, viewport: Viewport): SignInInput {
  if (typeof sent !== 'object' || sent === null) throw refused('an input')
  const input = sent as Sent
  switch (input.type) {
    case 'pointer':
      return pointer(input, viewport)
    case 'key':
      return key(input)
    case 'text':
      return { type: 'text', text: textOf(input) }
    case 'composition':
      return composition(input)
    case 'resize':
      return { type: 'resize', ...sizeOf(input) }
    case 'back':
    case 'reload':
      return { type: input.type }
    default:
      throw refused('type')
  }
}

/**
 * A viewport with the fields that it has.
 *
 * @throws {SignInError} `bad-input`
 */
export function checkViewport(sent: unknown): Viewport {
  if (typeof sent !== 'object' || sent === null) throw refused('a viewport')
  const input = sent as Sent
  return { ...sizeOf(input), touch: flag(input, 'touch'), scale: number(input, 'scale', 1, MOST_SCALE) }
}

function pointer(input: Sent, { width, height }: Viewport): SignInInput {
  const action = oneOf(input, 'action', ['down', 'move', 'up', 'cancel', 'wheel'] as const)
  const place = {
    type: 'pointer',
    x: number(input, 'x', 0, width),
    y: number(input, 'y', 0, height),
    modifiers: integer(input, 'modifiers', 0, 15),
  } as const
  if (action === 'wheel') {
    const [dx, dy] = [
      number(input, 'dx', -MOST_WHEEL, MOST_WHEEL),
      number(input, 'dy', -MOST_WHEEL, MOST_WHEEL),
    ]
    return { ...place, action, dx, dy }
  }
  const pointerType: PointerInput['pointerType'] = oneOf(input, 'pointerType', ['mouse', 'touch'] as const)
  return {
    ...place,
    action,
    pointerType,
    pointerId: integer(input, 'pointerId', 0, MOST_POINTER_ID),
    button: integer(input, 'button', -1, 2),
    buttons: integer(input, 'buttons', 0, 7),
    clicks: integer(input, 'clicks', 0, 3),
  }
}

function key(input: Sent): KeyInput {
  const { key, code } = input
  if (typeof key !== 'string' || key.length > 20) throw refused('key')
  if (typeof code !== 'string' || !/^[A-Za-z0-9]{0,20}$/.test(code)) throw refused('code')
  const checked: KeyInput = {
    type: 'key',
    action: oneOf(input, 'action', ['down', 'up'] as const),
    key,
    code,
    location: integer(input, 'location', 0, 3),
    repeat: flag(input, 'repeat'),
    modifiers: integer(input, 'modifiers', 0, 15),
  }
  if (!keyEventOf(checked)) throw refused('key')
  return checked
}

function composition(input: Sent): SignInInput {
  const text = textOf(input)
  const start = integer(input, 'start', 0, text.length)
  return { type: 'composition', text, start, end: integer(input, 'end', start, text.length) }
}

const sizeOf = (input: Sent): { readonly width: number; readonly height: number } => ({
  width: integer(input, 'width', SIZES.least, SIZES.most),
  height: integer(input, 'height', SIZES.least, SIZES.most),
})

function textOf({ text }: Sent): string {
  if (typeof text !== 'string' || text.length > MOST_TEXT || !text.isWellFormed()) throw refused('text')
  return text
}

function number(input: Sent, name: string, least: number, most: number): number {
  const value = input[name]
  // What is no number is not within anything either.
  if (typeof value !== 'number' || !(value >= least && value <= most)) throw refused(name)
  return value
}

function integer(input: Sent, name: string, least: number, most: number): number {
  const value = number(input, name, least, most)
  if (!Number.isInteger(value)) throw refused(name)
  return value
}

function flag(input: Sent, name: string): boolean {
  const value = input[name]
  if (typeof value !== 'boolean') throw refused(name)
  return value
}

function oneOf<T extends string>(input: Sent, name: string, all: readonly T[]): T {
  const found = all.find((each) => each === input[name])
  if (found === undefined) throw refused(name)
  return found
}
