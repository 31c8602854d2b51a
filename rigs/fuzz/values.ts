/**
 * Values that often break parsers and checks.
 *
 * @module
 */
import type { Random } from './random.ts'

const TEXTS: readonly string[] = [
  ...['', ' ', '\0', '\n', '\t', '\ud800', '\udfff', '\ufeff', '\u202e', '\u{1f4a5}', 'e\u0301', '\u0660'],
  ...['null', 'undefined', 'NaN', 'Infinity', 'true', '0', '-0', '-1', '1.5', '1e400', '0x10', '1,5', '٣'],
  ...[
    '__proto__',
    'constructor',
    'toString',
    'hasOwnProperty',
    '{}',
    '[]',
    '{"a":',
    '../../etc/passwd',
    '%00',
    '%',
  ],
  ...[
    'http://',
    'https://[',
    '//evil.example',
    'javascript:alert(1)',
    'data:,x',
    'https://user:x@127.0.0.1:1/',
  ],
  ...[
    '1970-01-01',
    '0000-00-00',
    '2026-13-45T99:99:99Z',
    '+275760-09-13T00:00:00.001Z',
    '-271821-04-19',
    '2026-11',
  ],
  ...[
    '<script>',
    '</script>',
    '&#x110000;',
    '&#0;',
    '&amp',
    ']]>',
    '$&',
    '\\',
    '"',
    "'",
    '*',
    '9'.repeat(400),
  ],
]

const NUMBERS: readonly number[] = [
  ...[0, -0, 1, -1, 0.5, -0.1, 500, 501, 1e6, 2 ** 31, -(2 ** 31), 2 ** 32, 2 ** 53, -(2 ** 53), 1e15, 1e21],
  ...[1e308, -1e308, 5e-324, 8.64e12, 8.64e15, 8.64e15 + 2, 1e17],
]

/** The maximum length of a very long text, in characters. */
const LONGEST = 20_000

export function oddText(random: Random): string {
  if (random.chance(0.7)) return random.pick(TEXTS)
  if (random.chance(0.1))
    return random.pick(['x', '\u00e9', '\u{1f4a5}', ' ', '<b>']).repeat(random.below(LONGEST))
  const length = random.below(30)
  return Array.from({ length }, () => oddCharacter(random)).join('')
}

const oddCharacter = (random: Random): string =>
  random.chance(0.8)
    ? String.fromCharCode(32 + random.below(95))
    : String.fromCharCode(random.chance(0.5) ? random.below(0x100) : random.below(0x10000))

export const oddNumber = (random: Random): number =>
  random.chance(0.6) ? random.pick(NUMBERS) : (random.next() - 0.5) * 10 ** random.below(20)

/** Any JSON value, mostly small. */
export function oddValue(random: Random, depth = 3): unknown {
  const kind = random.below(depth > 0 ? 7 : 5)
  if (kind === 0) return null
  if (kind === 1) return random.chance(0.5)
  if (kind === 2) return oddNumber(random)
  if (kind <= 4) return oddText(random)
  const length = random.below(4)
  if (kind === 5) return Array.from({ length }, () => oddValue(random, depth - 1))
  return Object.fromEntries(Array.from({ length }, () => [oddText(random), oddValue(random, depth - 1)]))
}

/** A value nested in so many arrays and objects. */
export function nested(random: Random, levels: number, inner: unknown): unknown {
  let value = inner
  for (let level = 0; level < levels; level++) value = random.chance(0.5) ? [value] : { a: value }
  return value
}
