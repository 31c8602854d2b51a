/**
 * The inputs that a signing-in person sends to the remote page, and the events and results that come back. They are
 * sent between processes.
 *
 * @module
 */
import { type Static, Type } from '@sinclair/typebox'
import type { ExitFailure } from '../../net/transport/transport.ts'
import type { Usage } from '../../net/transport/usage.ts'
import { Choice } from '../../plugin/schema/fields.ts'
import type { NoticeCode } from './notices.ts'

/** The person's window, as reported to the remote page. */
export type Viewport = {
  /** in CSS pixels, {@link SIZES} */
  readonly width: number
  readonly height: number
  /** a touch screen: the page receives touch events, and is laid out as on a phone */
  readonly touch: boolean
  /**
   * device pixels per CSS pixel, 1 to 2, as reported to the page; frames have the same density as far as the CPU allows
   */
  readonly scale: number
}

/** The most concurrent sign-ins in one process. Each has a page that draws all the time. */
export const MOST_SIGN_INS = 4

/** The smallest and the largest width and height, in CSS pixels. */
export const SIZES = { least: 200, most: 2000 } as const
/** The most device pixels per CSS pixel. */
export const MOST_SCALE = 2

/** The longest text pasted or composed by an input method, in characters. */
export const MOST_TEXT = 10_000
/** The largest distance of one wheel event, in CSS pixels. */
const MOST_WHEEL = 10_000

const whole = (minimum: number, maximum: number) => Type.Integer({ minimum, maximum })
/** Pressed modifier keys, as a sum: 1 Alt, 2 Ctrl, 4 Meta, 8 Shift. */
const modifiers = whole(0, 15)
/** In CSS pixels of the viewport. */
const place = { x: Type.Number({ minimum: 0 }), y: Type.Number({ minimum: 0 }) }
/** In CSS pixels. */
const distance = Type.Number({ minimum: -MOST_WHEEL, maximum: MOST_WHEEL })
const text = Type.String({ maxLength: MOST_TEXT })

/** A mouse or a finger; the fields are those of the DOM's PointerEvent. */
const Pointer = Type.Object({
  type: Type.Literal('pointer'),
  action: Choice(['down', 'move', 'up', 'cancel']),
  pointerType: Choice(['mouse', 'touch']),
  /** of a finger; browsers count ids up for as long as they run */
  pointerId: whole(0, 2 ** 31 - 1),
  ...place,
  /** the changed button: 0 left, 1 middle, 2 right, -1 none */
  button: whole(-1, 2),
  /** the pressed buttons, as a sum: 1 left, 2 right, 4 middle */
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
  dx: distance,
  dy: distance,
  modifiers,
})
export type WheelInput = Readonly<Static<typeof Wheel>>

/** A key; the fields are those of the DOM's KeyboardEvent. Characters that no key produces are sent as `text`. */
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

/** Schemas of inputs, keyed by type, except for the wheel. */
export const INPUTS = {
  pointer: Pointer,
  wheel: Wheel,
  key: Key,
  /** text that was pasted, or entered by a soft keyboard or an input method; inserted at the cursor */
  text: Type.Object({ type: Type.Literal('text'), text }),
  /** uncommitted text of an input method, with its selection; an empty text cancels the composition */
  composition: Type.Object({ type: Type.Literal('composition'), text, start: at, end: at }),
  resize: Type.Object({ type: Type.Literal('resize'), width: side, height: side }),
  back: Type.Object({ type: Type.Literal('back') }),
  reload: Type.Object({ type: Type.Literal('reload') }),
}
export type SignInInput = Readonly<Static<(typeof INPUTS)[keyof typeof INPUTS]>>

/** A picture of the remote page. */
export type Frame = {
  readonly jpeg: Uint8Array
  /** of the viewport, in CSS pixels; the picture may have a higher density */
  readonly width: number
  readonly height: number
  /** how far the page is scrolled, in CSS pixels */
  readonly scroll: { readonly x: number; readonly y: number }
}

/** The focused element; never its content. */
export type Focus = {
  /** it accepts text */
  readonly editable: boolean
  readonly kind: 'text' | 'password' | 'email' | 'tel' | 'number' | 'url' | 'search'
  /** its accessible name, 200 characters at most; empty when it has none */
  readonly label: string
  readonly multiline: boolean
}

/** An event of the page. The end of the sign-in is reported by its outcome. */
export type SignInEvent =
  /** `url`: the real address, in ASCII and cut to 2,000 characters; `title`: the page's own, cut to 200 */
  | { readonly type: 'address'; readonly url: string; readonly title: string }
  | { readonly type: 'loading'; readonly loading: boolean }
  | { readonly type: 'focus'; readonly focus: Focus | null }
  /** a request of the page that was refused; the text is for the person */
  | { readonly type: 'notice'; readonly code: NoticeCode; readonly text: string }

/** What the opener of a sign-in learns of it. Nothing is called while the page is being opened. */
export type SignInListener = {
  /** called with the events for the person, never with the signed-in state */
  readonly onEvent: (event: SignInEvent) => void
  /** called once, when the login's exit fails before anything came through it */
  readonly onExitFailed?: ((failure: ExitFailure) => void) | undefined
  /** called with what the page sent and received, once it is closed */
  readonly onUsed?: ((usage: Usage) => void) | undefined
}

/** The result of a sign-in. */
export type SignedIn = {
  /** cookies, local storage and IndexedDB in Playwright's format, as JSON text */
  readonly state: string
  /** when the first cookie of `signedIn` expires, in milliseconds since 1970; null: all are session cookies */
  readonly validUntil: number | null
}

/** A sign-in that is open in a browser, from the point of view of its opener. */
export type SignInHandle = {
  /**
   * Sends an input to the page. Inputs keep their order.
   *
   * @param input unvalidated; see {@link SignInInput}
   * @throws {SignInError} `bad-input` or `flooded`, and the sign-in continues; otherwise why it ended
   */
  send(input: unknown): Promise<void>
  /**
   * Returns the newest frame that was not taken yet, as soon as one is available. The browser makes further frames once
   * it is taken. Concurrent calls get the same frame.
   *
   * @param options `fresh`: makes a new frame of the current page now, for a viewer that has seen none
   * @throws {SignInError} why the sign-in ended
   */
  frame(options?: { readonly fresh?: boolean }): Promise<Frame>
  /** Ends the sign-in. Idempotent. */
  close(): void
  /** The result of the sign-in, for its opener only. @throws {SignInError} why it did not succeed */
  readonly outcome: Promise<SignedIn>
}
