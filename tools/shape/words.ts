/**
 * Changes of a shape in words.
 *
 * @module
 */
import type { ShapeChange } from './compare.ts'
import type { Kind } from './shape.ts'

/** A change as a line without its end, such as `gone: lamps[].price (number, in 100 %); new there: lamps[].cost`. */
export function wordsOf({ path, change, was, now, kinds, like }: ShapeChange): string {
  switch (change) {
    case 'vanished':
      return `gone: ${path}${held(kinds.was, was)}${like === undefined ? '' : `; its new name may be ${like}`}`
    case 'appeared':
      return `new: ${path}${held(kinds.now, now)}`
    case 'kind':
      return `now ${listed(kinds.now)}: ${path}, was ${listed(kinds.was)}`
    case 'rarer':
      return `rarer: ${path} has a value in ${percent(now)}, was ${percent(was)}`
  }
}

/** A share from 0 to 1 as `25 %`. A share that is not 0 is at least 1 %. */
export const percent = (share: number): string => `${share > 0 ? Math.max(1, Math.round(share * 100)) : 0} %`

const held = (kinds: readonly Kind[], share: number): string =>
  kinds.includes('element') ? '' : ` (${listed(kinds)}${share < 1 ? `, in ${percent(share)}` : ''})`

const listed = (kinds: readonly Kind[]): string => kinds.join(' or ')
