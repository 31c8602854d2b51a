/**
 * What a person who signs in sends to the remote page, and what comes back, as JSON: it goes between processes.
 *
 * @module
 */
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

/** Keys that are held, a sum: 1 Alt, 2 Ctrl, 4 Meta, 8 Shift. */
export type Modifiers = number

/** A mouse or a finger; the fields are those of the DOM's PointerEvent. Places are CSS pixels of the viewport. */
export type PointerInput = {
  readonly type: 'pointer'
  readonly action: 'down' | 'move' | 'up' | 'cancel'
  readonly pointerType: 'mouse' | 'touch'
  /** of a finger, 0 or more */
  readonly pointerId: number
  readonly x: number
  readonly y: number
  /** which one changed: 0 left, 1 middle, 2 right, -1 none */
  readonly button: number
  /** which are held, a sum: 1 left, 2 right, 4 middle */
  readonly buttons: number
  /** 1 for a click, 2 for the second one of a double click, 3 for a third */
  readonly clicks: number
  readonly modifiers: Modifiers
}

export type WheelInput = {
  readonly type: 'pointer'
  readonly action: 'wheel'
  readonly x: number
  readonly y: number
  /** in CSS pixels */
  readonly dx: number
  readonly dy: number
  readonly modifiers: Modifiers
}

/** A key; the fields are those of the DOM's KeyboardEvent. Characters that no key makes come as text. */
export type KeyInput = {
  readonly type: 'key'
  readonly action: 'down' | 'up'
  readonly key: string
  readonly code: string
  readonly location: number
  readonly repeat: boolean
  readonly modifiers: Modifiers
}

export type SignInInput =
  | PointerInput
  | WheelInput
  | KeyInput
  /** what was pasted, what a soft keyboard or an input method made: put where the cursor is */
  | { readonly type: 'text'; readonly text: string }
  /** what an input method shows before it is done, with its selection; an empty text ends it without a trace */
  | { readonly type: 'composition'; readonly text: string; readonly start: number; readonly end: number }
  | { readonly type: 'resize'; readonly width: number; readonly height: number }
  | { readonly type: 'back' }
  | { readonly type: 'reload' }

/** A picture of the remote page. */
export type SignInFrame = {
  /** in base64 */
  readonly jpeg: string
  /** of the viewport, in CSS pixels; the picture may be finer */
  readonly width: number
  readonly height: number
  /** how far the page is scrolled, in CSS pixels */
  readonly scroll: { readonly x: number; readonly y: number }
}

export type FocusKind = 'text' | 'password' | 'email' | 'tel' | 'number' | 'url' | 'search'

/** What has the focus; never what is in it. */
export type Focus = {
  /** it takes text */
  readonly editable: boolean
  readonly kind: FocusKind
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
