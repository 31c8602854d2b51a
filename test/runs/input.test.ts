/** The format of stored inputs: the worker gets the input exactly as it was hashed, and the title stands apart. */
import { expect, test } from 'bun:test'
import { decodeInput, encodeInput, INPUT_HEAD_BYTES, titleIn } from '../../src/runs/input.ts'

const bytesOf = (text: string) => new TextEncoder().encode(text)
const INPUTS = [
  '{}',
  '{"query":"a\\nb"}',
  '{"query":"\u2028 {\\"title\\":null} 😀"}',
  `{"query":"${'é'.repeat(200_000)}"}`,
]

test.each([null, '', 'desk lamp · 2 pages', '"\\', '😀'.repeat(100), '\\'.repeat(100), 'a\u2028b'])(
  'title %j and input come back as they were stored',
  (title) => {
    for (const input of INPUTS) {
      const body = bytesOf(encodeInput({ title, input }))
      expect(decodeInput(body)).toEqual({ title, input })
      expect(titleIn(body.subarray(0, INPUT_HEAD_BYTES))).toBe(title)
    }
  },
)
