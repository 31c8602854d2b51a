/**
 * Kinds of homes, from the codes and words that the site has for them.
 *
 * @module
 */
import { integerOrNull } from 'gleaner/plugin'

export const PROPERTY_TYPES = [
  'single_family',
  'condo',
  'townhouse',
  'multi_family',
  'land',
  'other',
] as const

export type PropertyType = (typeof PROPERTY_TYPES)[number]

/** `propertyType` */
const CODES: Readonly<Record<number, PropertyType>> = {
  3: 'condo',
  4: 'multi_family',
  5: 'multi_family',
  6: 'single_family',
  8: 'land',
  13: 'townhouse',
}

/** `uiPropertyType` */
const UI_CODES: Readonly<Record<number, PropertyType>> = {
  1: 'single_family',
  2: 'condo',
  3: 'townhouse',
  4: 'multi_family',
  5: 'land',
}

/** How the words of a CSV row begin. */
const WORDS: readonly (readonly [start: string, type: PropertyType])[] = [
  ['single family', 'single_family'],
  ['condo', 'condo'],
  ['townho', 'townhouse'],
  ['multi-family', 'multi_family'],
  ['vacant land', 'land'],
]

/** By its codes; `other` for codes without a name here, null without a code. */
export function typeOfCodes(code: unknown, uiCode?: unknown): PropertyType | null {
  const [known, ui] = [integerOrNull(code), integerOrNull(uiCode)]
  if (known === null && ui === null) return null
  return CODES[known ?? 0] ?? UI_CODES[ui ?? 0] ?? 'other'
}

/** By its words; null without any. */
export function typeOfWords(words: string | null): PropertyType | null {
  if (words === null) return null
  const lower = words.toLowerCase()
  return WORDS.find(([start]) => lower.startsWith(start))?.[1] ?? 'other'
}
