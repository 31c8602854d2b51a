/**
 * Formats JSON for people to read.
 *
 * @module
 */

const WIDTH = 110

/** JSON text with one field or entry per line. Lists and objects of plain values are on one line if they fit. */
export const formatJson = (value: unknown): string => `${lines(value, '', 0)}\n`

/** Whether a value may share a line with others because it contains no values itself. */
const isPlain = (value: unknown): boolean =>
  typeof value !== 'object' || value === null || Object.keys(value).length === 0

/** @param taken number of characters on the line besides the indent and the value */
function lines(value: unknown, indent: string, taken: number): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const isList = Array.isArray(value)
  const [open, close] = isList ? ['[', ']'] : ['{', '}']
  const entries = Object.entries(value).filter(([, each]) => each !== undefined)
  if (entries.length === 0) return open + close
  const front = (name: string) => (isList ? '' : `${JSON.stringify(name)}: `)
  if (entries.every(([, each]) => isPlain(each))) {
    const plain = entries.map(([name, each]) => front(name) + JSON.stringify(each)).join(', ')
    const line = isList ? `[${plain}]` : `{ ${plain} }`
    if (indent.length + taken + line.length <= WIDTH) return line
  }
  const inner = `${indent}  `
  const each = entries.map(([name, one]) => inner + front(name) + lines(one, inner, front(name).length + 1))
  return `${open}\n${each.join(',\n')}\n${indent}${close}`
}
