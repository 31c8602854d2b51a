/**
 * Converts keys to CDP key events.
 *
 * @module
 */
import type { CommandOf } from '../../browser/cdp.ts'
import type { KeyInput } from './types.ts'

type KeyEvent = CommandOf<'Input.dispatchKeyEvent'>
/** What distinguishes the event of a key that goes down. */
type Pressed = Pick<KeyEvent, 'type' | 'text' | 'commands'>

const ALT = 1
const CTRL = 2
const META = 4
const SHIFT = 8

/** Windows virtual key codes of keys without a character, which pages and the browser use to identify them. */
const NAMED: Readonly<Record<string, number>> = {
  Backspace: 8,
  Tab: 9,
  Enter: 13,
  Shift: 16,
  Control: 17,
  Alt: 18,
  Escape: 27,
  PageUp: 33,
  PageDown: 34,
  End: 35,
  Home: 36,
  ArrowLeft: 37,
  ArrowUp: 38,
  ArrowRight: 39,
  ArrowDown: 40,
  Delete: 46,
  Meta: 91,
}
/** Virtual key codes of characters other than letters and digits, by physical key. */
const BY_CODE: Readonly<Record<string, number>> = {
  Semicolon: 186,
  Equal: 187,
  Comma: 188,
  Minus: 189,
  Period: 190,
  Slash: 191,
  Backquote: 192,
  BracketLeft: 219,
  Backslash: 220,
  BracketRight: 221,
  Quote: 222,
  IntlBackslash: 226,
}
/**
 * Commands of Ctrl (or Meta, on a Mac) and a letter. Copying has no target, and pasted text arrives as `text` input.
 */
const SHORTCUTS: Readonly<Record<string, string>> = { a: 'selectAll', z: 'undo', y: 'redo', x: 'cut' }
/** The keys that Meta and an arrow stand for on a Mac. */
const ON_A_MAC: Readonly<Record<string, string>> = { ArrowLeft: 'Home', ArrowRight: 'End' }

/**
 * Converts a key to an event.
 *
 * @returns undefined for an unknown key, and for a key that would act on the browser instead of the page
 */
export function keyEventOf(input: KeyInput): KeyEvent | undefined {
  const { key, modifiers } = input
  if (Object.hasOwn(NAMED, key)) return namedKey(input)
  if ([...key].length !== 1 || /\p{C}/u.test(key)) return undefined
  // Windows reports AltGr as Ctrl with Alt, and on a Mac Alt alone types some characters.
  if ((modifiers & (CTRL | META)) !== 0 && (modifiers & ALT) === 0) return shortcut(input)
  return eventOf(input, modifiers & SHIFT, { type: 'keyDown', text: key })
}

function shortcut(input: KeyInput): KeyEvent | undefined {
  const { modifiers } = input
  const letter = input.key.toLowerCase()
  const isRedo = letter === 'z' && (modifiers & SHIFT) !== 0
  const command = isRedo ? 'redo' : Object.hasOwn(SHORTCUTS, letter) ? SHORTCUTS[letter] : undefined
  if (command === undefined) return undefined
  return eventOf(input, modifiers, { type: 'rawKeyDown', commands: [command] })
}

function namedKey(input: KeyInput): KeyEvent {
  const isMac = (input.modifiers & META) !== 0 && Object.hasOwn(ON_A_MAC, input.key)
  const key = (isMac && ON_A_MAC[input.key]) || input.key
  const meant = isMac ? { ...input, key, code: key, modifiers: input.modifiers & ~META } : input
  const pressed: Pressed = key === 'Enter' ? { type: 'keyDown', text: '\r' } : { type: 'rawKeyDown' }
  return eventOf(meant, edited(meant), pressed)
}

/** The modifiers of an editing key. On a Mac Alt moves and deletes by words; elsewhere Alt navigates the history. */
function edited({ key, modifiers }: KeyInput): number {
  if (key in { Alt: 0, Control: 0, Meta: 0, Shift: 0 }) return modifiers
  const shift = modifiers & SHIFT
  const byWords = (modifiers & (ALT | CTRL)) !== 0 && /^(Arrow|Backspace|Delete|Home|End)/.test(key)
  return byWords ? shift | CTRL : shift
}

function eventOf(input: KeyInput, modifiers: number, pressed: Pressed): KeyEvent {
  const { action, key, code, location, repeat } = input
  const windowsVirtualKeyCode = virtualCode(input)
  const event = { key, code, location, autoRepeat: repeat, modifiers, windowsVirtualKeyCode }
  return action === 'up' ? { ...event, type: 'keyUp' } : { ...event, ...pressed }
}

function virtualCode({ key, code }: KeyInput): number {
  const named = NAMED[key]
  if (named !== undefined) return named
  const upper = key.toUpperCase()
  // For other characters the character code is the virtual key code of a different key.
  if (/^[A-Z0-9 ]$/.test(upper)) return upper.charCodeAt(0)
  return Object.hasOwn(BY_CODE, code) ? (BY_CODE[code] ?? 0) : 0
}
