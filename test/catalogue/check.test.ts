/** The validation of values does not depend on other libraries that the process has loaded. */
import { expect, test } from 'bun:test'
import { FormatRegistry } from '@sinclair/typebox'
import { isValid } from '../../src/catalogue/check.ts'
import { Link, Type } from '../../src/plugin.ts'

test('a format check that another library registers does not affect validation', () => {
  const before = FormatRegistry.Get('uri')
  FormatRegistry.Set('uri', () => false)
  try {
    const Item = Type.Object({ url: Link(), others: Type.Array(Link()) })
    expect(isValid(Item, { url: 'https://shop.example/a b', others: ['http://shop.example'] })).toBe(true)
    expect(isValid(Item, { url: 'shop.example', others: [] })).toBe(false)
  } finally {
    if (before) FormatRegistry.Set('uri', before)
    else FormatRegistry.Delete('uri')
  }
})
