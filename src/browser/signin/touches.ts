/**
 * The fingers on the page: the browser wants to be told of all that touch it with each change of one.
 *
 * @module
 */
import type { CommandOf } from '../cdp.ts'
import type { PointerInput } from './types.ts'

type TouchEvent = CommandOf<'Input.dispatchTouchEvent'>

/** Fingers of one hand, by the small numbers that the browser knows them by; it takes no more than sixteen. */
const FINGERS = [0, 1, 2, 3, 4]

export class Touches {
  private readonly points = new Map<number, TouchEvent['touchPoints'][number]>()

  /** @returns undefined for a finger that the page knows nothing of, or one too many */
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
