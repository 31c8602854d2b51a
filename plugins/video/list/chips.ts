/**
 * Reads the chips above a grid, which sort it.
 *
 * @module
 */
import { at, entriesAt, textOrNull } from 'gleaner/plugin'
import type { Sort } from '../short.ts'
import { wrappedText } from '../texts.ts'
import { sortOfToken, tokenBelow } from './tokens.ts'

/** An order that a grid offers. */
export type Chip = {
  readonly sort: Sort
  /** it requests the order, and is valid only for the page that contains it */
  readonly token: string | null
  readonly isSelected: boolean
}

/** The way from a chip that opens a list to the entries of this list. */
const ENTRIES = [
  ...['tapCommand', 'innertubeCommand', 'showSheetCommand', 'panelLoadingStrategy', 'inlineContent'],
  ...['sheetViewModel', 'content', 'listViewModel', 'listItems'],
]

/**
 * The orders that a grid offers. Empty when the grid has no chips, as with very few Shorts.
 *
 * @param header the header of the grid: `feedFilterChipBarRenderer` until January 2026, `chipBarViewModel` since
 */
export function chipsOf(header: unknown): Chip[] {
  const chips = entriesAt(header, 'chipBarViewModel', 'chips').map((chip) => at(chip, 'chipViewModel'))
  const lists = chips.filter((chip) => textOrNull(at(chip, 'displayType'))?.includes('DROP_DOWN'))
  // Beside a list of orders, the other chips are filters, such as "Members only".
  if (lists.length > 0) return lists.flatMap((chip) => entriesAt(chip, ...ENTRIES)).flatMap(entryOf)
  const old = entriesAt(header, 'feedFilterChipBarRenderer', 'contents')
  return [
    ...chips.flatMap((chip) => chipOf(at(chip, 'text'), at(chip, 'selected'), at(chip, 'tapCommand'))),
    ...old
      .map((chip) => at(chip, 'chipCloudChipRenderer'))
      .flatMap((chip) => chipOf(at(chip, 'text'), at(chip, 'isSelected'), at(chip, 'navigationEndpoint'))),
  ]
}

function entryOf(item: unknown): Chip[] {
  const entry = at(item, 'listItemViewModel')
  return chipOf(at(entry, 'title'), at(entry, 'isSelected'), at(entry, 'rendererContext', 'commandContext'))
}

/** The chip as a list of one; empty when it does not stand for an order. */
function chipOf(label: unknown, selected: unknown, command: unknown): Chip[] {
  const token = tokenBelow(command)
  const sort = (token === null ? undefined : sortOfToken(token)) ?? sortOfLabel(wrappedText(label))
  return sort === undefined ? [] : [{ sort, token, isSelected: selected === true }]
}

const LABELS: ReadonlyMap<string | undefined, Sort> = new Map([
  ['latest', 'latest'],
  ['popular', 'popular'],
  ['oldest', 'oldest'],
])
const sortOfLabel = (label: string | null): Sort | undefined => LABELS.get(label?.toLowerCase())
