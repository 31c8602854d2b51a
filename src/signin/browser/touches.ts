/**
 * The fingers on the page. With each change of one finger, the browser expects all fingers that touch the page.
 *
 * @module
 */
import type { CommandOf } from '../../browser/cdp.ts'
import type { PointerInput } from './types.ts'

type TouchEvent = CommandOf<'Input.dispatchTouchEvent'>

/** The touch ids of the fingers of one hand. The browser needs small ids, and accepts at most sixteen. */
const FINGERS = [0, 1, 2, 3, 4]

export class Touches {
  private readonly points = new Map<number, TouchEvent['touchPoints'][number]>()

  /** @returns undefined for a finger unknown to the page, a repeated touch, or one finger too many */
  eventOf({ action, pointerId, x, y, modifiers }: PointerInput): TouchEvent | undefined {
    if (action === 'cancel') {
      this.points.clear()
      return { type: 'touchCancel', touchPoints: [], modifiers }
    }
    const known = this.points.get(pointerId)
    if (action === 'down' ? known || this.points.size >= FINGERS.length : !known) return undefined
    if (action === 'up') {
      this.points.delete(pointerId)
      return { type: 'touchEnd', touchPoints: [...this.points.values()], modifiers }
    }
    const taken = new Set([...this.points.values()].map(({ id }) => id))
    const id = known?.id ?? FINGERS.find((finger) => !taken.has(finger)) ?? 0
    this.points.set(pointerId, { x, y, id })
    const type = action === 'down' ? 'touchStart' : 'touchMove'
    return { type, touchPoints: [...this.points.values()], modifiers }
  }
}
