import { expect, test } from 'bun:test'
import { size } from '../../../src/console/components/size.ts'

test.each([
  [0, '0 bytes'],
  [1, '1 byte'],
  [999, '999 bytes'],
  [1000, '1.0 kB'],
  [25_681, '25.7 kB'],
  [999_949, '999.9 kB'],
  [999_999, '1.0 MB'],
  [1_234_567_890, '1.2 GB'],
  [5e15, '5,000.0 TB'],
])('%d is %s', (bytes, expected) => expect(size(bytes)).toBe(expected))
