/**
 * Compares street addresses. The look-up is fuzzy and may return the neighbour's house.
 *
 * @module
 */

/** Kinds of streets, each with its spellings. */
const WAYS =
  'st street saint,ave av avenue,rd road,dr drive,ln lane,blvd boulevard,ct court,pl place,ter terrace,pkwy parkway,' +
  'cir circle,hwy highway,sq square,trl trail,cres crescent,way'
const DIRECTIONS = 'n north,s south,e east,w west,ne northeast,nw northwest,se southeast,sw southwest'

type Word = { readonly text: string; readonly kind: 'way' | 'direction' | 'name' }

const wordsFor = (list: string, kind: Word['kind']): [string, Word][] =>
  list
    .split(',')
    .map((spellings) => spellings.split(' '))
    .flatMap((words) => words.map((word): [string, Word] => [word, { text: words[0]!, kind }]))
const KNOWN: ReadonlyMap<string, Word> = new Map([
  ...wordsFor(WAYS, 'way'),
  ...wordsFor(DIRECTIONS, 'direction'),
])

/** A unit. `Ste` is a unit only before a number, because it can also mean a saint. */
const UNIT = /(?:\b(?:unit|apt|apartment|suite)\b\.?|\bste\b\.?(?=\s*(?:#\s*)?\w*\d)|#)\s*(?:#\s*)?([\w-]+)/i

/** Whether a text starts with a house number followed by more text. */
export const isAddress = (text: string): boolean => /^\W*\d+[\w/-]*\s+\S/.test(text.replace(UNIT, ''))

/**
 * Whether a row's address is the requested one: the same house number, the same unit if one was requested, and the same
 * street. A direction or a kind of street may be missing on one side, but must not differ.
 *
 * @param query the requested address, with or without a city after the street
 * @param listing the street address of a row
 * @returns true for `506 East Howell Street, Seattle` and `506 E Howell St Unit W303`
 */
export function sameAddress(query: string, listing: string): boolean {
  const unit = UNIT.exec(query)?.[1]?.toLowerCase()
  if (unit !== undefined && UNIT.exec(listing)?.[1]?.toLowerCase() !== unit) return false
  const [number, ...street] = wordsOf(query)
  const [foundNumber, ...foundStreet] = wordsOf(listing.split(',')[0] ?? '')
  return number !== undefined && number.text === foundNumber?.text && beginsWith(street, foundStreet)
}

function beginsWith(words: readonly Word[], street: readonly Word[]): boolean {
  let i = 0
  let j = 0
  while (j < street.length) {
    const [a, b] = [words[i], street[j]!]
    if (a?.text === b.text) {
      i++
      j++
    } else if (b.kind !== 'name') {
      if (a?.kind === b.kind) return false
      j++
    } else if (a !== undefined && a.kind !== 'name') i++
    else return false
  }
  return street.length > 0
}

const wordsOf = (address: string): Word[] =>
  address
    .replace(UNIT, ' ')
    .normalize('NFD')
    .replace(/[\u0300-\u036f.'’]/g, '')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((text) => text !== '')
    .map((text) => KNOWN.get(text) ?? { text, kind: 'name' })
