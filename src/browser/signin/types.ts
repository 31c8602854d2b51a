/**
 * What a person who signs in sends to the remote page, and what comes back, as JSON: it goes between processes.
 *
 * @module
 */
import { type Static, Type } from '@sinclair/typebox'
import { Choice } from '../../plugin/schema/fields.ts'
import type { NoticeCode } from './notices.ts'

/** The window that the person has, as the remote page is told of it. */
export type Viewport = {
  /** in CSS pixels, {@link SIZES} */
  readonly width: number
  readonly height: number
  /** it is touched: the page is told of touches, and is laid out as on a phone */
  readonly touch: boolean
  /** device pixels in a CSS pixel, 1 to 2, as the page is told; frames have so many too, as far as there is time for them */
  readonly scale: number
}

/** People who may sign in at once in one process: each has a page that draws all the time. */
export const MOST_SIGN_INS = 4

/** The smallest and the largest width and height, in CSS pixels. */
export const SIZES = { least: 200, most: 2000 } as const
/** The most device pixels in a CSS pixel. */
export const MOST_SCALE = 2

/** The longest text that is pasted, or made by an input method, in characters. */
export const MOST_TEXT = 10_000
/** The farthest that one turn of a wheel goes, in CSS pixels. */
const MOST_WHEEL = 10_000

const whole = (minimum: number, maximum: number) => Type.Integer({ minimum, maximum })
/** Keys that are held, a sum: 1 Alt, 2 Ctrl, 4 Meta, 8 Shift. */
const modifiers = whole(0, 15)
/** In CSS pixels of the viewport. */
const place = { x: Type.Number({ minimum: 0 }), y: Type.Number({ minimum: 0 }) }
/** In CSS pixels. */
const way = Type.Number({ minimum: -MOST_WHEEL, maximum: MOST_WHEEL })
const text = Type.String({ maxLength: MOST_TEXT })

/** A mouse or a finger; the fields are those of the DOM's PointerEvent. */
const Pointer = Type.Object({
  type: Type.Literal('pointer'),
  action: Choice(['down', 'move', 'up', 'cancel']),
  pointerType: Choice(['mouse', 'touch']),
  /** of a finger; a browser numbers them upwards for as long as it runs */
  pointerId: whole(0, 2 ** 31 - 1),
  ...place,
  /** which one changed: 0 left, 1 middle, 2 right, -1 none */
  button: whole(-1, 2),
  /** which are held, a sum: 1 left, 2 right, 4 middle */
  buttons: whole(0, 7),
  /** 1 for a click, 2 for the second one of a double click, 3 for a third */
  clicks: whole(0, 3),
  modifiers,
})
export type PointerInput = Readonly<Static<typeof Pointer>>

const Wheel = Type.Object({
  type: Type.Literal('pointer'),
  action: Type.Literal('wheel'),
  ...place,
  dx: way,
  dy: way,
  modifiers,
})
export type WheelInput = Readonly<Static<typeof Wheel>>

/** A key; the fields are those of the DOM's KeyboardEvent. Characters that no key makes come as text. */
const Key = Type.Object({
  type: Type.Literal('key'),
  action: Choice(['down', 'up']),
  key: Type.String({ maxLength: 20 }),
  code: Type.String({ pattern: '^[A-Za-z0-9]{0,20}$' }),
  location: whole(0, 3),
  repeat: Type.Boolean(),
  modifiers,
})
export type KeyInput = Readonly<Static<typeof Key>>

const side = whole(SIZES.least, SIZES.most)
const at = whole(0, MOST_TEXT)

/** Inputs by their type, the wheel's apart. */
export const INPUTS = {
  pointer: Pointer,
  wheel: Wheel,
  key: Key,
  /** what was pasted, what a soft keyboard or an input method made: put where the cursor is */
  text: Type.Object({ type: Type.Literal('text'), text }),
  /** what an input method shows before it is done, with its selection; an empty text ends it without a trace */
  composition: Type.Object({ type: Type.Literal('composition'), text, start: at, end: at }),
  resize: Type.Object({ type: Type.Literal('resize'), width: side, height: side }),
  back: Type.Object({ type: Type.Literal('back') }),
  reload: Type.Object({ type: Type.Literal('reload') }),
}
export type SignInInput = Readonly<Static<(typeof INPUTS)[keyof typeof INPUTS]>>

/** A picture of the remote page. */
export type Frame = {
  readonly jpeg: Uint8Array
  /** of the viewport, in CSS pixels; the picture may be finer */
  readonly width: number
  readonly height: number
  /** how far the page is scrolled, in CSS pixels */
  readonly scroll: { readonly x: number; readonly y: number }
}

/** What has the focus; never what is in it. */
export type Focus = {
  /** it takes text */
  readonly editable: boolean
  readonly kind: 'text' | 'password' | 'email' | 'tel' | 'number' | 'url' | 'search'
  /** its name for a screen reader, 200 characters at most; empty when it has none */
  readonly label: string
  readonly multiline: boolean
}

/** What happens on the page; its end is told by its outcome. */
export type SignInEvent =
  /** the real one, in ASCII and cut to 2,000 characters; the title is the page's own, cut to 200 */
  | { readonly type: 'address'; readonly url: string; readonly title: string }
  | { readonly type: 'loading'; readonly loading: boolean }
  | { readonly type: 'focus'; readonly focus: Focus | null }
  /** something that the page wanted and does not get; the text is for the person */
  | { readonly type: 'notice'; readonly code: NoticeCode; readonly text: string }

/** What a person has signed in to. */
export type SignedIn = {
  /** cookies, local storage and IndexedDB, as Playwright saves them, as JSON text */
  readonly state: string
  /** when the first cookie of `signedIn` expires, in milliseconds since 1970; null: with the session */
  readonly validUntil: number | null
}
