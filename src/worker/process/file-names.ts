/**
 * Which names and content types files of runs may have: asked where a plugin begins one, and again by the service, which
 * takes nothing from a child on trust.
 *
 * @module
 */
const LONGEST_NAME = 200
/** It stands in an event, whose size is limited. */
const LONGEST_TYPE = 200

export const isFileName = (name: unknown): name is string =>
  typeof name === 'string' &&
  name.length > 0 &&
  name.length <= LONGEST_NAME &&
  name.isWellFormed() &&
  !/[/\\\x00-\x1f\x7f]/.test(name) &&
  name !== '.' &&
  name !== '..'

export const isContentType = (type: unknown): type is string =>
  typeof type === 'string' &&
  type.length <= LONGEST_TYPE &&
  /^[\w.+-]+\/[\w.+-]+(; ?[\w-]+=[\w.-]+)?$/.test(type)
