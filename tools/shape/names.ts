/**
 * Names of parts, without what changes with the data.
 *
 * @module
 */
import { ROOT } from './shape.ts'

/** A key that is data rather than the name of a field: an id, a hash, an address, a day. */
const DATA = /^\d+$|\d{4}|^(?=.*\d)(?=.*[a-z])[\da-z]{8,}$|\/|^.{41,}$/i

/** The name of a field, or `*` for a key that is data, such as the id in `{"7315512": {…}}`. */
export const nameOrStar = (key: string): string => (DATA.test(key) ? '*' : key)

/** The path of a field of an object, as JavaScript writes it. */
export function fieldPath(parent: string, key: string): string {
  if (key !== '*' && !/^[\p{L}_$][\p{L}\p{N}_$]*$/u.test(key))
    return `${inside(parent)}[${JSON.stringify(key)}]`
  return parent === ROOT ? key : `${parent}.${key}`
}

/** The path of the entries of a list. */
export const entryPath = (parent: string): string => `${inside(parent)}[]`

const inside = (parent: string): string => (parent === ROOT ? '' : parent)

/** A part of a class, id or attribute that a build of the site generates, or that is data. */
const GENERATED = /^(?=.*\d)(?=.*[a-z])[\da-z]{5,}$|\d{3}/i
/** The end of a class of CSS modules. */
const MODULE = /__(?=.*[A-Z\d])[\w-]{5}$/

/** A class or id without its generated parts: `Card_price__x7Yz1` is `Card_price__*`. */
export const withoutGenerated = (name: string): string =>
  name.replace(MODULE, '__*').replace(/[^\W_]+/g, (part) => (GENERATED.test(part) ? '*' : part))
