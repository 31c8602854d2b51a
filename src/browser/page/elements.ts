/**
 * Elements of a page that can be seen, and the mouse and keys on them.
 *
 * @module
 */
import type { Page } from 'rebrowser-playwright'
import type { World } from './script.ts'

/** A place in the window, in CSS pixels. */
export type Point = { readonly x: number; readonly y: number }

/** The first visible element; `document.querySelector` knows nothing of what can be seen. */
const FIND = `(selector) => {
  for (const element of document.querySelectorAll(selector)) {
    const { width, height } = element.getBoundingClientRect()
    if (width > 0 && height > 0 && element.checkVisibility({ visibilityProperty: true })) return element
  }
  return null
}`

/** Its middle, once it is in the window and nothing lies on it. */
const AIM = `(element) => {
  if (!element) return null
  element.scrollIntoView({ block: 'center', inline: 'center', behavior: 'instant' })
  const { left, top, width, height } = element.getBoundingClientRect()
  const at = { x: left + width / 2, y: top + height / 2 }
  const hit = document.elementFromPoint(at.x, at.y)
  return hit && (element.contains(hit) || hit.contains(element)) ? at : null
}`

/** Gives a field the focus, with all that is in it selected. */
const FOCUS = `(element) => {
  if (!element) return false
  element.focus()
  if (element.select) element.select()
  else getSelection().selectAllChildren(element)
  return true
}`

export const isVisible = async (world: World, selector: string): Promise<boolean> =>
  Boolean(await world.evaluate(`Boolean((${FIND})(${JSON.stringify(selector)}))`))

/** Where the middle of an element is; null when there is none, or something else lies on it. */
export const middleOf = async (world: World, selector: string): Promise<Point | null> =>
  (await world.evaluate(`(${AIM})((${FIND})(${JSON.stringify(selector)}))`)) as Point | null

/** Replaces what is in a field, as if it was typed. @returns false when there is no such field */
export async function typeInto(page: Page, world: World, selector: string, text: string): Promise<boolean> {
  if (!(await world.evaluate(`(${FOCUS})((${FIND})(${JSON.stringify(selector)}))`))) return false
  if (text === '') await page.keyboard.press('Delete')
  else await page.keyboard.insertText(text)
  return true
}
