/**
 * The queue of inputs to the page. Inputs are sent one at a time, in order. The queue is bounded.
 *
 * @module
 */
import type { CDPSession } from 'rebrowser-playwright'
import { delay } from '../../async/delay.ts'
import { onceMore } from '../../async/once-more.ts'
import { SignInError } from './errors.ts'
import { keyEventOf } from './keys.ts'
import { Touches } from './touches.ts'
import type { PointerInput, SignInInput, WheelInput } from './types.ts'

/** The most inputs in the queue. */
const MOST_WAITING = 500
/** How long to wait for the page to handle an input before the next one is sent, in milliseconds. */
const ANSWER_MS = 2000
const BUTTONS = { '-1': 'none', 0: 'left', 2: 'right' } as const
/** The middle button is never sent: it pastes the last selection, which all pages of a browser share. */
const MIDDLE = 1

/** Inputs that act on the page from outside instead of being sent to it. */
export type Action = SignInInput & { readonly type: 'resize' | 'back' | 'reload' }

export type InputsOptions = {
  readonly session: CDPSession
  /** see {@link finenessOf} */
  readonly fineness: () => number
  /** performs an {@link Action} */
  readonly act: (input: Action) => Promise<unknown>
  /** called when the queue is empty and its last input was handled */
  readonly onIdle: () => void
  readonly onFailure: (error: unknown) => void
}

export class Inputs {
  private readonly waiting: SignInInput[] = []
  private readonly touches = new Touches()

  constructor(private readonly options: InputsOptions) {}

  /**
   * Adds an input to the queue. Consecutive moves of one pointer are merged. Leaving the page (`back`, `reload`)
   * discards the queued inputs: nothing else helps when the page no longer handles input.
   *
   * @throws {SignInError} `flooded`: the queue is full, and contains no move, which could be dropped
   */
  add(input: SignInInput): void {
    if (input.type === 'back' || input.type === 'reload') this.waiting.length = 0
    const last = this.waiting.at(-1)
    if (last && isSameMove(last, input)) this.waiting.pop()
    else if (this.waiting.length >= MOST_WAITING) this.dropMove()
    this.waiting.push(input)
    void this.work()
  }

  /** Discards the queue. */
  stop(): void {
    this.waiting.length = 0
  }

  private dropMove(): void {
    const oldest = this.waiting.findIndex(isMove)
    if (oldest < 0) throw new SignInError('flooded')
    this.waiting.splice(oldest, 1)
  }

  private readonly work = onceMore(async () => {
    const { onFailure, onIdle } = this.options
    for (let input = this.waiting.shift(); input; input = this.waiting.shift()) {
      // An input that is handled late may also fail late.
      const done = this.perform(input).catch(onFailure)
      await Promise.race([done, delay(ANSWER_MS)])
      if (this.waiting.length === 0) onIdle()
    }
  })

  private async perform(input: SignInInput): Promise<unknown> {
    const { session, act } = this.options
    switch (input.type) {
      case 'pointer':
        return this.pointer(input)
      case 'key': {
        const event = keyEventOf(input)
        return event && session.send('Input.dispatchKeyEvent', event)
      }
      case 'text':
        return session.send('Input.insertText', { text: input.text })
      case 'composition': {
        const { text, start: selectionStart, end: selectionEnd } = input
        return session.send('Input.imeSetComposition', { text, selectionStart, selectionEnd })
      }
      default:
        return act(input)
    }
  }

  private async pointer(raw: PointerInput | WheelInput): Promise<unknown> {
    const { session, fineness } = this.options
    const input = scaled(raw, fineness())
    if (input.action === 'wheel') return session.send('Input.dispatchMouseEvent', wheelEvent(input))
    if (input.pointerType === 'mouse' && input.button === MIDDLE) return undefined
    if (input.pointerType === 'mouse') return session.send('Input.dispatchMouseEvent', mouseEvent(input))
    const touch = this.touches.eventOf(input)
    return touch && session.send('Input.dispatchTouchEvent', touch)
  }
}

/** Converts positions in CSS pixels to positions on the screen. */
function scaled<I extends PointerInput | WheelInput>(input: I, by: number): I {
  const ways = input.action === 'wheel' ? { dx: input.dx * by, dy: input.dy * by } : {}
  return { ...input, x: input.x * by, y: input.y * by, ...ways }
}

const isMove = (input: SignInInput): boolean =>
  input.type === 'pointer' && (input.action === 'move' || input.action === 'wheel')

/** Whether the later of two moves replaces the earlier one. Wheel movements add up, so they are kept. */
function isSameMove(last: SignInInput, next: SignInInput): boolean {
  if (last.type !== 'pointer' || next.type !== 'pointer') return false
  if (last.action !== 'move' || next.action !== 'move') return false
  const { pointerType, pointerId, buttons } = next
  return last.pointerType === pointerType && last.pointerId === pointerId && last.buttons === buttons
}

const wheelEvent = ({ x, y, dx, dy, modifiers }: WheelInput) =>
  ({ type: 'mouseWheel', x, y, deltaX: dx, deltaY: dy, modifiers }) as const

const MOUSE = {
  down: 'mousePressed',
  move: 'mouseMoved',
  up: 'mouseReleased',
  cancel: 'mouseReleased',
} as const

function mouseEvent({ action, x, y, button, buttons, clicks, modifiers }: PointerInput) {
  // A move is part of a drag (selects text, moves a slider) only when it names the pressed button.
  const changed = action === 'move' && (buttons & 1) !== 0 ? 0 : button
  const name = BUTTONS[String(changed) as keyof typeof BUTTONS]
  return { type: MOUSE[action], x, y, modifiers, button: name, buttons, clickCount: clicks } as const
}
