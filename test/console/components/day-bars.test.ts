import { expect, test } from 'bun:test'
import { dayBars } from '../../../src/console/components/day-bars.ts'

const drawn = dayBars({
  label: 'Runs <by> day',
  titles: ['1 Nov: 3', '2 Nov: none', '3 Nov: 4'],
  series: [
    { look: 'good', values: [2, 0, 4] },
    { look: 'bad', values: [1, 0, 0] },
  ],
  top: 4,
}).text
const path = (fill: string) => new RegExp(`fill="url\\(#bar-${fill}\\)" d="([^"]*)"`).exec(drawn)?.[1]

test('parts of a bar stand on each other, and the largest one is as high as the row', () => {
  expect(path('good')).toBe('M0 20h7v20h-7zM20 0h7v40h-7z')
  expect(path('bad')).toBe('M0 10h7v10h-7z')
})

test('a day without a value has a line', () => {
  expect(drawn).toContain('class="no-bar" d="M10 38h7v2h-7z"')
})

test('a row has a text for those who do not see it, and each day one when it is pointed at', () => {
  expect(drawn).toContain('role="img" aria-label="Runs &#60;by&#62; day"')
  expect([...drawn.matchAll(/<title>([^<]+)/g)].map(([, title]) => title)).toEqual([
    '1 Nov: 3',
    '2 Nov: none',
    '3 Nov: 4',
  ])
})
