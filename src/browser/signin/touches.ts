/**
 * The fingers on the page: the browser wants to be told of all that touch it with each change of one.
 *
 * @module
 */
import type { PointerInput } from './types.ts'

/** What `Input.dispatchTouchEvent` is told. */
export type TouchEvent = {
  readonly type: 'touchStart' | 'touchMove' | 'touchEnd' | 'touchCancel'
  readonly touchPoints: { readonly x: number; readonly y: number; readonly id: number }[]
  readonly modifiers: number
}

/** Fingers of one hand; the browser takes no more than sixteen. */
const MOST = 5

export class Touches {
  private readonly points = new Map<number, { readonly x: number; readonly y: number; readonly id: number }>()

  /** @returns undefined for a finger that the page knows nothing of, or one too many */
  eventOf({ action, pointerId, x, y, modifiers }: PointerInput): TouchEvent | undefined {
    if (action === 'cancel') {
      this.points.clear()
      return { type: 'touchCancel', touchPoints: [], modifiers }
    }
    const known = this.points.get(pointerId)
    if (action === 'down' ? known || this.points.size >= MOST : !known) return undefined
    if (action === 'up') {
      this.points.delete(pointerId)
      return { type: 'touchEnd', touchPoints: [...this.points.values()], modifiers }
    }
    this.points.set(pointerId, { x, y, id: known?.id ?? this.free() })
    const type = action === 'down' ? 'touchStart' : 'touchMove'
    return { type, touchPoints: [...this.points.values()], modifiers }
  }

  /** The browser knows fingers by small numbers. */
  private free(): number {
    const taken = new Set([...this.points.values()].map(({ id }) => id))
    let id = 0
    while (taken.has(id)) id++
    return id
  }
}
