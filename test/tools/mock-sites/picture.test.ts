/** Items of the demo have pictures, though cassettes have none. */
import { expect, test } from 'bun:test'
import { imageType } from '../../../src/images/format.ts'
import { isPicture, picture } from '../../../tools/mock-sites/picture.ts'

test('a path has a picture of its own, which is an image by its first bytes', () => {
  const [one, other] = [picture('/a.jpg'), picture('/b.jpg')]
  expect(imageType('image/png', one)).toBe('image/png')
  expect(one).toEqual(picture('/a.jpg'))
  expect(one).not.toEqual(other)
})

test.each([
  ['/a/b.jpeg', true],
  ['/a.webp?s=1', true],
  ['/a.json', false],
  ['/jpg', false],
])('%s is a picture: %p', (path, is) => {
  expect(isPicture(path)).toBe(is)
})
