/**
 * Visible elements of a page, and mouse and keyboard input to them.
 *
 * @module
 */
import type { Page } from 'rebrowser-playwright'
import type { World } from './script.ts'

/** A position in the window, in CSS pixels. */
export type Point = { readonly x: number; readonly y: number }

/** Finds the first visible element; `document.querySelector` ignores visibility. */
const FIND = `(selector) => {
  for (const element of document.querySelectorAll(selector)) {
    const { width, height } = element.getBoundingClientRect()
    if (width > 0 && height > 0 && element.checkVisibility({ visibilityProperty: true })) return element
  }
  return null
}`

/** Scrolls an element into view and returns its center; null when another element covers it. */
const AIM = `(element) => {
  if (!element) return null
  element.scrollIntoView({ block: 'center', inline: 'center', behavior: 'instant' })
  const { left, top, width, height } = element.getBoundingClientRect()
  const at = { x: left + width / 2, y: top + height / 2 }
  const hit = document.elementFromPoint(at.x, at.y)
  return hit && (element.contains(hit) || hit.contains(element)) ? at : null
}`

/** Focuses a field and selects its content. */
const FOCUS = `(element) => {
  if (!element) return false
  element.focus()
  if (element.select) element.select()
  else getSelection().selectAllChildren(element)
  return true
}`

export const isVisible = async (world: World, selector: string): Promise<boolean> =>
  Boolean(await world.evaluate(`Boolean((${FIND})(${JSON.stringify(selector)}))`))

/** The center of an element; null when it does not exist or another element covers it. */
export const middleOf = async (world: World, selector: string): Promise<Point | null> =>
  (await world.evaluate(`(${AIM})((${FIND})(${JSON.stringify(selector)}))`)) as Point | null

/** Replaces the content of a field as if by typing. @returns false when there is no such field */
export async function typeInto(page: Page, world: World, selector: string, text: string): Promise<boolean> {
  if (!(await world.evaluate(`(${FOCUS})((${FIND})(${JSON.stringify(selector)}))`))) return false
  if (text === '') await page.keyboard.press('Delete')
  else await page.keyboard.insertText(text)
  return true
}
