/**
 * Types of homes, from the site's codes and names.
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

/** types by the code in `propertyType` */
const CODES: Readonly<Record<number, PropertyType>> = {
  3: 'condo',
  4: 'multi_family',
  5: 'multi_family',
  6: 'single_family',
  8: 'land',
  13: 'townhouse',
}

/** types by the code in `uiPropertyType` */
const UI_CODES: Readonly<Record<number, PropertyType>> = {
  1: 'single_family',
  2: 'condo',
  3: 'townhouse',
  4: 'multi_family',
  5: 'land',
}

/** Types by the start of their names in CSV rows. */
const WORDS: readonly (readonly [start: string, type: PropertyType])[] = [
  ['single family', 'single_family'],
  ['condo', 'condo'],
  ['townho', 'townhouse'],
  ['multi-family', 'multi_family'],
  ['vacant land', 'land'],
]

/** The type for the codes of a home; `other` for unknown codes, null without a code. */
export function typeOfCodes(code: unknown, uiCode?: unknown): PropertyType | null {
  const [known, ui] = [integerOrNull(code), integerOrNull(uiCode)]
  if (known === null && ui === null) return null
  return CODES[known ?? 0] ?? UI_CODES[ui ?? 0] ?? 'other'
}

/** The type for the name of a type; `other` for an unknown name, null without a name. */
export function typeOfWords(words: string | null): PropertyType | null {
  if (words === null) return null
  const lower = words.toLowerCase()
  return WORDS.find(([start]) => lower.startsWith(start))?.[1] ?? 'other'
}
