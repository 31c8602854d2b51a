import { describe, expect, test } from 'bun:test'
import { type Chart, chart } from '../../../src/console/components/chart.ts'

const columns = ['27', '28', '29'].map((day) => ({ short: `${day} Nov`, full: `${day} Nov 2026` }))
const drawn = (more: Partial<Chart>): string =>
  chart({ id: 'c', caption: 'Credits by day', columns, series: [], noun: 'credit', column: 'Day', ...more })
    .text
const heights = (page: string) =>
  [...page.split('class="tooltips"')[0]!.matchAll(/height="([\d.]+)%"\/>/g)].map(([, height]) => +height!)

describe('a chart', () => {
  const page = drawn({
    series: [
      { name: 'forum', values: [1, 0, 3] },
      { name: 'video', values: [1, 0, -2], href: '/tasks/video' },
    ],
  })

  test('names its total, and the parts of each bar', () => {
    expect(page).toContain('Credits by day: 3 credits in all')
    expect(page).toContain('<title>27 Nov 2026: 2 credits\nforum: 1\nvideo: 1</title>')
    expect(page).toContain('<title>29 Nov 2026: 1 credit\nforum: 3\nvideo: −2</title>')
  })

  test('draws only parts above 0, below a top whose middle is whole', () => {
    const parts = heights(page)
    expect(parts).toHaveLength(3)
    expect(parts[1]).toBeCloseTo(3 * parts[0]!, 0)
    expect([...page.matchAll(/dy="0.32em" text-anchor="end">([^<]+)/g)].map(([, tick]) => tick)).toEqual([
      '0',
      '2',
      '4',
    ])
  })

  test('has a legend with totals and links, and a table of the columns with numbers', () => {
    expect(page).toContain('<a href="/tasks/video">video</a> <span class="number">−1</span>')
    expect(page.match(/<th scope="row">/g)).toHaveLength(2)
    expect(page).toContain(
      '29 Nov 2026</th><td class="number">1</td><td class="number">3</td><td class="number">−2</td>',
    )
  })

  test('gives each part a pattern of its own', () => {
    expect(page.match(/<pattern id="c-(one|two)"/g)).toHaveLength(2)
    expect(page).toContain('fill="url(#c-two)"')
  })
})

test('names are text, and long ones are shortened everywhere but in the legend', () => {
  const name = `<img src=x>${'"'.repeat(90)}`
  const page = drawn({
    series: [
      { name, values: [1, 1, 1] },
      { name: 'b', values: [1, 1, 1] },
    ],
  })
  expect(page).not.toContain('<img')
  expect(page.match(/(&#34;){90}/g)).toHaveLength(1)
})

test.each([
  [0, '2'],
  [1, '2'],
  [3, '4'],
  [10, '10'],
  [8, '8'],
  [9, '10'],
  [11, '12'],
  [99, '100'],
  [101, '120'],
  [1234, '1,600'],
  [10_001, '12K'],
  [1_400_000, '1.6M'],
])('a bar of %i stands below a top of %s', (value, top) => {
  expect(drawn({ series: [{ name: 'a', values: [value, 0, 0] }] })).toContain(`>${top}</text></svg>`)
})

test('ninety columns have at most eight labels, the last one always', () => {
  const many = Array.from({ length: 90 }, (_, i) => ({ short: `d${i}`, full: `day ${i}` }))
  const page = drawn({ columns: many, series: [{ name: 'a', values: many.map(() => 1) }] })
  expect([...page.matchAll(/y="98%" text-anchor="\w+"[^>]*>(d\d+)/g)].map(([, label]) => label)).toEqual([
    'd5',
    'd17',
    'd29',
    'd41',
    'd53',
    'd65',
    'd77',
    'd89',
  ])
})

test('a chart of numbers that are all 0 has an axis and no bars', () => {
  const page = drawn({ series: [{ name: 'a', values: [0, 0, 0] }] })
  expect(heights(page)).toEqual([])
  expect(page).toContain('0 credits in all')
})
